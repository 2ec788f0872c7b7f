fn acceleration() {
}
