fn energy() {
}
