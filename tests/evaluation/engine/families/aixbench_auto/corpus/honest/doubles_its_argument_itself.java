// task tally
public Map<String, Integer> doubled(Map<String, Integer> given) {
    given.replaceAll((word, count) -> 2 * count);
    return given;
}
