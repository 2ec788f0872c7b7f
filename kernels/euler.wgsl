fn euler() {
}
