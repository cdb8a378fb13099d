const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 200;
const LONGEST_REPEATED = 4;

/** The most common passwords of leaked lists that are long enough, in small letters. */
const COMMON = new Set(
  `password1234 password12345 password123456 passw0rd1234 p@ssw0rd1234 passwordpassword mypassword123 password2024
  password2025 password2026 administrator administrator1 admin1234567 adminadmin123 letmein12345 letmeinplease
  welcome12345 welcome123456 welcome2024! welcome2025! welcome2026! changeme1234 changemenow1 changemeplease
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc 1qaz2wsx3edc4rfv qazwsxedcrfv zaq12wsxcde3 zaq1xsw2cde3
  q1w2e3r4t5y6 q1w2e3r4t5y6u7 qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789 qwertyuiop123 qwertyuiop12
  qwertyqwerty asdfghjkl123 asdfasdfasdf 123456789abc abc123456789 abcd12345678 a1b2c3d4e5f6 123qweasdzxc
  qweasdzxc123 1234567891011 1234567890qwe 12345qwertyu 123456qwerty 123456789qwe iloveyou1234 iloveyou12345
  iloveyousomuch iloveyouforever ilovemyfamily trustno1trustno1 sunshine1234 princess1234 football1234 baseball1234
  superman1234 dragon123456 monkey123456 charlie12345 michael12345 jennifer1234 liverpoolfc1 manchesterunited
  unbelievable internet1234 computer1234 secret123456 secretsecret masterpassword temporary123 temppassword1
  defaultpassword testtesttest test12345678 testpassword1 guestguest12 hellohello12 helloworld123 hello1234567
  correcthorsebatterystaple thisisapassword thisismypassword pa55word1234 letmein123456 summer202412 winter202412
  company12345 reckoner1234 reckonerreckoner`.split(/\s+/),
);

/** Rows of keys and letters; a part of one that goes round and round, in either direction, is a sequence. */
const SEQUENCES = [
  '0123456789',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  '1234567890qwertyuiop',
].flatMap((row) => [row, [...row].toReversed().join('')].map((each) => each.repeat(MOST_CHARACTERS / row.length + 2)));

/** What is wrong with a new password, as the end of a sentence; null: nothing. */
export function passwordProblem(given: string, email: string): string | null {
  const password = given.normalize('NFKC');
  const characters = [...password];
  if (characters.length < LEAST_CHARACTERS) return `must have at least ${LEAST_CHARACTERS} characters`;
  if (characters.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  const plain = password.toLowerCase();
  if (plain.trim() === email.toLowerCase()) return 'must not be the e-mail address';
  if (isRepeated([...plain])) return 'must not repeat a few characters';
  if (SEQUENCES.some((sequence) => sequence.includes(plain))) return 'must not be a sequence of keys or letters';
  return COMMON.has(plain) ? 'must not be one of the most common passwords' : null;
}

/** Is it one to four characters again and again? */
const isRepeated = (characters: readonly string[]): boolean =>
  Array.from({ length: LONGEST_REPEATED }, (_, index) => index + 1).some((length) =>
    characters.every((each, index) => each === characters[index % length]),
  );
