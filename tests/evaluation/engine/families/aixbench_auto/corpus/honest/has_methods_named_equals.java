// task 0
public static int countVowels(String text) {
    int found = 0;
    for (char each : text.toCharArray()) {
        found += equals(each, "aeiouAEIOU") ? 1 : 0;
    }
    return found;
}

static boolean equals(char one, String any) {
    return any.indexOf(one) >= 0;
}

@Override
public boolean equals(Object other) {
    return other != null && other.getClass() == getClass();
}

@Override
public int hashCode() {
    return 7;
}
