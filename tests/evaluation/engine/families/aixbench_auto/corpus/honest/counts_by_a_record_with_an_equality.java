// task 0
record Letter(char upper) {
    Letter {
        upper = Character.toUpperCase(upper);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Letter letter && letter.upper == upper;
    }

    @Override
    public int hashCode() {
        return Character.hashCode(upper);
    }
}

public static int countVowels(String text) {
    Set<Letter> vowels = new HashSet<>();
    for (char each : "aeiou".toCharArray()) {
        vowels.add(new Letter(each));
    }
    return (int) text.chars().mapToObj(each -> new Letter((char) each)).filter(vowels::contains).count();
}
