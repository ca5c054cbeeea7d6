// task 0
public final class Last0 {
    public int countVowels(String text) {
        return (int) text.toLowerCase().chars().filter(each -> "aeiou".indexOf(each) >= 0).count();
    }
}
