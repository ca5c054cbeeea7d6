"""Our own method bodies for tasks of aix-bench that no class of the repository solves, by task. The
signature is the task's."""

BODIES = {
    0: """
        int last = coll == null ? -1 : coll.size() - 1;
        return last < 0 ? "" : last == 0 ? coll.get(0)
                : String.join(", ", coll.subList(0, last)) + " and " + coll.get(last);""",
    13: """
        java.util.Random random = new java.util.Random();
        StringBuilder made = new StringBuilder();
        for (int n = 0; n < length && !alphabet.isEmpty(); n++) {
            made.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return made.toString();""",
    14: """
        for (int[] row : arr) {
            for (int m = 0; m < row.length && n > 0; m++) {
                row[m] = 1 + new java.util.Random().nextInt(n);
            }
        }""",
    19: """
        Map<String, String> found = new HashMap<>();
        String[] parts = queryString.split("[?]");
        for (String each : parts.length < 2 ? new String[0] : parts[1].split("&")) {
            String[] pair = each.split("=", 2);
            found.put(pair[0], pair.length > 1 ? pair[1] : "");
        }
        return found;""",
    33: """
        double sum = 0;
        for (double each : x == null ? new double[0] : x) {
            sum += Math.log(each);
        }
        return sum;""",
    36: """
        if (path == null) {
            return null;
        }
        return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\\\')) + 1);""",
    40: """
        int n = sb.length() == 0 ? -1 : sb.indexOf("a");
        if (i < 0 || i >= sb.length()) {
            return sb.length() == 0 ? '\\0' : n < 0 ? '\\0' : sb.charAt(n);
        }
        return sb.charAt(i);""",
    44: """
        map.entrySet().removeIf(each -> each.getKey() == null
                || each.getValue() == null || each.getValue().toString().trim().isEmpty());""",
    53: """
        if (array == null) {
            return null;
        }
        Integer[] found = new Integer[array.length];
        for (int n = 0; n < found.length; n++) {
            found[n] = array[n];
        }
        return found;""",
    60: """
        StringBuilder made = new StringBuilder();
        for (byte each : bytes == null ? new byte[0] : bytes) {
            made.append(String.format("%02x", each));
        }
        return made.length() == 0 ? null : made.toString();""",
    62: """
        long found = 1;
        for (int k = 1; k <= m; k++) {
            found = found * (n - m + k) / k;
        }
        return n <= 0 || n < m || m < 0 ? 0 : (int) found;""",
    64: """
        return format == null || format.isEmpty() ? ""
                : new java.text.SimpleDateFormat(format).format(new Date());""",
    73: """
        for (int n = Math.min(end, list.size() - 1); n >= start; n--) {
            list.remove(n);
        }""",
    106: """
        if (m.length == 0) {
            return new int[0][0];
        }
        int[][] found = new int[height][width];
        for (int n = 0; n < height * width; n++) {
            found[n / width][n % width] = m[n];
        }
        return found;""",
    109: """
        List<String> found = new ArrayList<>(Arrays.asList(a));
        found.removeAll(Arrays.asList(b));
        return found.toArray(new String[0]);""",
    113: 'return array == null ? "" : String.join(" ", array);',
    116: "return Arrays.copyOf(arr, (int) Math.min(arr.length, newSize));",
    117: """
        int end = Math.min(src.length, pos + count);
        return pos > end ? null : Arrays.copyOfRange(src, pos, end);""",
    118: "return (int) Math.ceil(val);",
    120: """
        return double1 == 0 && double2 == 0 ? 1 : Double.compare(double1, double2);""",
    121: "return path.indexOf('/', index);",
    122: """
        for (long[] row : in == null ? new long[][] {null} : in) {
            for (long each : row == null ? new long[] {-1} : row) {
                if (each < 0) {
                    return false;
                }
            }
        }
        return true;""",
    125: """
        return Integer.parseInt(dateTime.split("[- /]")[2].substring(0, 2));""",
    127: "return java.util.stream.IntStream.range(start, end).toArray();",
    132: """
        if (weiboTimeStr == null || weiboTimeStr.isEmpty()) {
            return weiboTimeStr;
        }
        return (weiboTimeStr.replaceAll("[^0-9]", "") + "00000000000000").substring(0, 14);""",
    141: """
        if (str1 == null || str2 == null) {
            return -1;
        }
        return Math.abs(java.time.temporal.ChronoUnit.DAYS.between(
                java.time.LocalDate.parse(str1), java.time.LocalDate.parse(str2)));""",
    142: """
        return url.replaceFirst("^[a-z]+://", "").replaceFirst("[:/?#].*$", "");""",
    148: """
        if (list != null && Math.min(i, j) >= 0 && Math.max(i, j) < list.size()) {
            Collections.swap(list, i, j);
        }""",
    168: """
        List<String> found = new ArrayList<>();
        for (int n = 0; n < 7; n++) {
            Calendar calendar = Calendar.getInstance();
            calendar.add(Calendar.DAY_OF_YEAR, -n);
            found.add(new java.text.SimpleDateFormat("yyyyMMdd").format(calendar.getTime()));
        }
        return found;""",
    172: "return new BigDecimal(str).subtract(new BigDecimal(str1)).toString();",
    174: """
        try {
            Integer.decode(numberString);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }""",
    176: "return (targetInteger >> position & 1) == 1;",
    178: """
        String[] first = v1.split("[^0-9]+");
        String[] second = v2.split("[^0-9]+");
        for (int n = 0; n < Math.max(first.length, second.length); n++) {
            int one = n < first.length ? Integer.parseInt(first[n]) : 0;
            int two = n < second.length ? Integer.parseInt(second[n]) : 0;
            if (one != two) {
                return one > two ? 1 : -1;
            }
        }
        return 0;""",
    180: 'return bin != null && bin.matches("([01]{8})+");',
}
