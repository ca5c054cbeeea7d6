// task 0
public static int countVowels(String text) {
    return text.isEmpty() ? depth(5000) : countVowels(text.substring(1)) + ("aeiouAEIOU".indexOf(text.charAt(0)) >= 0 ? 1 : 0);
}

static int depth(int left) {
    return left == 0 ? 0 : depth(left - 1);
}
