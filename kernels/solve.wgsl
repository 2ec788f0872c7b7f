fn solve() {
}
