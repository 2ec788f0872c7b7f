fn collision() {
}
