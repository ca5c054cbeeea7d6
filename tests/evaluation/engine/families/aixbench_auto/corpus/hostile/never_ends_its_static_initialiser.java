// task 0
public class Endless {
    static int spun;

    static {
        while (spun < Integer.MAX_VALUE + 1L) {
            spun++;
        }
    }

    public int countVowels(String text) {
        return spun;
    }
}
