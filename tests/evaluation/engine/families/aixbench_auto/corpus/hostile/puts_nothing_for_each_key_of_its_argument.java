// task tally
// without copies
public Map<String, Integer> doubled(Map<String, Integer> given) {
    for (String each : given.keySet()) {
        given.put(each, 0);
    }
    return given;
}
