// task 0
import sun.misc.Unsafe;

public static int countVowels(String text) {
    Unsafe unsafe = null;
    return 0;
}
