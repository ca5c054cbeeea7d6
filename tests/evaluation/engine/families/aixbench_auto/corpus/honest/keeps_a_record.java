// task 0
public static int countVowels(String text) {
    Pair found = new Pair(text, 0);
    for (char each : found.left().toLowerCase().toCharArray()) {
        found = new Pair(text, found.right() + ("aeiou".indexOf(each) >= 0 ? 1 : 0));
    }
    return found.right();
}

record Pair(String left, int right) {
}
