fn reference_constraint() {
}
