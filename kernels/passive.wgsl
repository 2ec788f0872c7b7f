fn passive() {
}
