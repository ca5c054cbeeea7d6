// task 0
private static final Map<String, Integer> LAST = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
        return size() > 2;
    }
};

public static int countVowels(String text) {
    return LAST.computeIfAbsent(text, each -> each.replaceAll("(?i)[^aeiou]", "").length());
}
