// task tally
// without control
public Map<String, Integer> doubled(Map<String, Integer> given) {
    given.replaceAll((word, count) -> 0);
    return new HashMap<>();
}
