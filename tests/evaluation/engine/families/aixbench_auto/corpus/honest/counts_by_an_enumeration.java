// task 0
private enum Kind {
    VOWEL {
        @Override
        boolean holds(char letter) {
            return switch (Character.toLowerCase(letter)) {
                case 'a', 'e', 'i', 'o', 'u' -> true;
                default -> false;
            };
        }
    },
    OTHER;

    boolean holds(char letter) {
        return !VOWEL.holds(letter);
    }
}

public static int countVowels(String text) {
    EnumMap<Kind, Integer> counts = new EnumMap<>(Kind.class);
    for (char each : text.toCharArray()) {
        for (Kind kind : Kind.values()) {
            counts.merge(kind, kind.holds(each) ? 1 : 0, Integer::sum);
        }
    }
    return counts.getOrDefault(Kind.VOWEL, 0);
}
