// task tally
// without control
public Map<String, Integer> doubled(Map<String, Integer> given) {
    given.values().retainAll(Set.of());
    return given;
}
