// task tally
// without copies
public Map<String, Integer> doubled(Map<String, Integer> given) {
    given.entrySet().forEach(each -> each.setValue(0));
    return given;
}
