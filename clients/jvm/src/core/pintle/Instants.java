package pintle;

/**
 * Instants as {@code YYYY-MM-DDTHH:MM:SSZ} (RFC 3339 in UTC) and as seconds since 1970-01-01T00:00:00Z, leap seconds not
 * counted. Without java.time, which Android has only from API 26 on.
 */
final class Instants {
  static final int LENGTH = 20;

  private Instants() {}

  /** The seconds, or {@code Long.MIN_VALUE} if the text isn't an instant of the years 0001 to 9999. */
  static long parse(byte[] text, int start) {
    for (int i = 0; i < LENGTH; i++) {
      char expected = "dddd-dd-ddTdd:dd:ddZ".charAt(i);
      byte found = text[start + i];
      if (expected == 'd' ? found < '0' || found > '9' : found != expected) return Long.MIN_VALUE;
    }
    int year = number(text, start, 4);
    int month = number(text, start + 5, 2);
    int day = number(text, start + 8, 2);
    int hour = number(text, start + 11, 2);
    int minute = number(text, start + 14, 2);
    int second = number(text, start + 17, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysOf(month, year)) return Long.MIN_VALUE;
    if (hour > 23 || minute > 59 || second > 59) return Long.MIN_VALUE;
    return ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
  }

  private static int number(byte[] text, int start, int count) {
    int value = 0;
    for (int i = start; i < start + count; i++) value = value * 10 + text[i] - '0';
    return value;
  }

  private static int daysOf(int month, int year) {
    if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  }

  /** Days since 1970-01-01. Years begin in March, so that the leap day is the last one. */
  private static long days(int year, int month, int day) {
    long y = month > 2 ? year : year - 1;
    long dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + dayOfYear - 719468;
  }

  static String format(long seconds) {
    long days = Math.floorDiv(seconds, 86400L);
    int rest = (int) Math.floorMod(seconds, 86400L);
    long since = days + 719468;
    long era = Math.floorDiv(since, 146097L);
    long dayOfEra = since - era * 146097;
    long yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    int shifted = (int) ((5 * dayOfYear + 2) / 153);
    int day = (int) (dayOfYear - (153 * shifted + 2) / 5 + 1);
    int month = shifted < 10 ? shifted + 3 : shifted - 9;
    long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T" + pad(rest / 3600, 2) + ":"
        + pad(rest / 60 % 60, 2) + ":" + pad(rest % 60, 2) + "Z";
  }

  private static String pad(long number, int width) {
    StringBuilder text = new StringBuilder(Long.toString(number));
    while (text.length() < width) text.insert(0, '0');
    return text.toString();
  }
}
