fn make_constraint() {
}
