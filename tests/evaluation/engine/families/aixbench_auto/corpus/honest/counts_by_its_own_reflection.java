// task 0
public static int countVowels(String text) {
    int methods = String.class.getMethods().length + Pair.class.getDeclaredFields().length;
    return methods > 2 ? (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count() : -1;
}

static class Pair {
    private int one;
    private int other;
}
