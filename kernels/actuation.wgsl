fn actuation() {
}
