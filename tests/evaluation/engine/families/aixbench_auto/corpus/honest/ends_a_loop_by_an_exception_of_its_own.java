// task 0
private static final class Done extends RuntimeException {
    private final int count;

    Done(int count) {
        super("done", null, false, false);
        this.count = count;
    }
}

public static int countVowels(String text) {
    try {
        for (int at = 0, count = 0; ; at++) {
            if (at == text.length()) {
                throw new Done(count);
            }
            count += "aeiouAEIOU".indexOf(text.charAt(at)) < 0 ? 0 : 1;
        }
    } catch (Done done) {
        return done.count;
    }
}
