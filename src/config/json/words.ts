/* Where a text stops being JSON: each without a full stop, unless it is a whole sentence. */

import { apart } from '../../lib/settings/words.ts';
import { catalogue } from '../../lib/words.ts';

const theForm = 'The config is JSON: { "key": "value", "block": { "key": 5 } }';
const theFormZh = '配置是 JSON：{ "key": "value", "block": { "key": 5 } }';
const straight = 'JSON needs the straight one: "';
const straightZh = 'JSON 要用直引号："';
const usualBlank = 'Delete it, and write a usual blank if one is needed';
const usualBlankZh = '删掉它，需要空格的话写普通空格';
const noJson = 'this is not JSON. Keys and strings need double quotes; other values are numbers, true, false or null';
const noJsonZh = '这不是 JSON。键和字符串要用双引号；其他值是数字、true、false 或 null';

/** A sign that JSON does not know. `sign` is undefined if it cannot be seen. */
interface Sign {
  readonly kind:
    | 'comma'
    | 'colon'
    | 'semicolon'
    | 'typographic-quote'
    | 'other-quote'
    | 'single-quote'
    | 'backtick'
    | 'open-brace'
    | 'close-brace'
    | 'open-bracket'
    | 'close-bracket'
    | 'round-bracket'
    | 'equals'
    | 'dash'
    | 'full-stop'
    | 'number-sign'
    | 'blank'
    | 'invisible';
  readonly sign: string | undefined;
}

export const jsonWords = catalogue({
  en: {
    at: ({ line, column, fault }: { readonly line: number; readonly column: number; readonly fault: string }) =>
      `line ${line}, column ${column}: ${fault}`,
    sentence: ({ fault }: { readonly fault: string }) => `${fault}.`,
    tooLong: ({ most }: { readonly most: number }) => `the file is longer than ${most} characters: is it a config?`,
    tooDeep: ({ most }: { readonly most: number }) => `brackets are nested more than ${most} deep here.`,
    noObject: 'the file holds no JSON object. A config is one: { "key": value, … }',
    notAnObject: ({ found }: { readonly found: string }) =>
      `expected one object, { "key": value, … }, but found ${found}.`,
    oneObject: 'it has to be one JSON object',
    endsOpen: ({ open, line }: { readonly open: string; readonly line: number }) =>
      `the file ends here, but the "${open}" of line ${line} is not closed`,
    closesOther: ({ found, open, line }: { readonly found: string; readonly open: string; readonly line: number }) =>
      `"${found}" is here, but the "${open}" of line ${line} is not closed`,

    conflict: ({ mark }: { readonly mark: string }) =>
      `this is a mark of a git conflict (${mark}). Keep one of the two versions, and delete the lines with such marks`,
    fence: 'this is a Markdown fence. Delete this line, and the one that ends the fence',
    javaScript: 'this is JavaScript. The config is only the object: delete what stands before "{" and behind "}"',
    toml: `this looks like TOML or a .env file. ${theForm}`,
    yaml: `this looks like YAML. ${theForm}`,
    xml: `this looks like XML or HTML. ${theForm}`,
    plus: 'a number has no "+" in front of it',
    point: 'a number has a digit before its point: 0.5',
    decimal: 'a number is written with decimal digits',
    underscore: 'a number has no "_" between its digits',
    sign: ({ kind, sign }: Sign) => {
      const [name, mend] = englishSigns[kind];
      return `this is ${name}${sign === undefined ? '' : ` (${sign})`}. ${mend}`;
    },
    writeNull: ({ word }: { readonly word: string }) => `JSON has no ${word}: write null, or leave the key out`,
    writeTrue: ({ word }: { readonly word: string }) => `JSON has no ${word}: write true`,
    writeFalse: ({ word }: { readonly word: string }) => `JSON has no ${word}: write false`,
    writeNumber: ({ word }: { readonly word: string }) => `JSON has no ${word}: write a number`,
    bareKey: 'this key needs double quotes around it: "key"',
    bareText: 'this text needs double quotes around it: "text"',
    unclosedQuote: ({ mark }: { readonly mark: string }) =>
      `a string before this ends with a typographic quotation mark (${mark}). ${straight}`,
    syntax: {
      InvalidSymbol: noJson,
      InvalidNumberFormat: 'this is not a valid JSON number',
      PropertyNameExpected: 'a key in double quotes is missing here, or there is an extra comma',
      ValueExpected: 'a value is missing here, or there is an extra comma',
      ColonExpected: 'a colon is missing after the key',
      CommaExpected: 'a comma is missing before this',
      CloseBraceExpected: 'a "}" is missing here',
      CloseBracketExpected: 'a "]" is missing here',
      EndOfFileExpected: 'the object has already ended before this: all belongs in one pair of braces',
      InvalidCommentToken: 'a comment is not allowed here',
      UnexpectedEndOfComment: 'this comment is not closed: "*/" is missing',
      UnexpectedEndOfString: 'this string is not closed: a double quote is missing on its line',
      UnexpectedEndOfNumber: 'this is not a valid JSON number',
      InvalidUnicode: 'in this string, "\\u" is not followed by four hexadecimal digits',
      InvalidEscapeCharacter:
        'in this string, a backslash is followed by a letter that has no meaning. Write a backslash as "\\\\"',
      InvalidCharacter:
        'this string contains a tab or another control character. Write a tab as "\\t", a new line as "\\n"',
      '<unknown ParseErrorCode>': noJson,
    },
  },
  zh: {
    at: ({ line, column, fault }) => `第 ${line} 行，第 ${column} 列：${fault}`,
    sentence: ({ fault }) => `${fault}。`,
    tooLong: ({ most }) => `文件超过 ${most} 个字符：这是配置吗？`,
    tooDeep: ({ most }) => `括号在这里嵌套超过 ${most} 层。`,
    noObject: '文件中没有 JSON 对象。配置是一个对象：{ "key": value, … }',
    notAnObject: ({ found }) => `应为一个对象，{ "key": value, … }，但写的是${apart(found)}。`,
    oneObject: '必须是一个 JSON 对象',
    endsOpen: ({ open, line }) => `文件到这里结束，但第 ${line} 行的 "${open}" 没有闭合`,
    closesOther: ({ found, open, line }) => `这里是 "${found}"，但第 ${line} 行的 "${open}" 没有闭合`,

    conflict: ({ mark }) => `这是 git 冲突标记（${mark}）。保留两个版本中的一个，删掉带这种标记的行`,
    fence: '这是 Markdown 的代码围栏。删掉这一行和结束围栏的那一行',
    javaScript: '这是 JavaScript。配置只是那个对象：删掉 "{" 之前和 "}" 之后的内容',
    toml: `这看起来像 TOML 或 .env 文件。${theFormZh}`,
    yaml: `这看起来像 YAML。${theFormZh}`,
    xml: `这看起来像 XML 或 HTML。${theFormZh}`,
    plus: '数字前面不能有 "+"',
    point: '数字的小数点前要有数字：0.5',
    decimal: '数字要用十进制写',
    underscore: '数字中间不能有 "_"',
    sign: ({ kind, sign }) => {
      const [name, mend] = chineseSigns[kind];
      return `这是${name}${sign === undefined ? '' : `（${sign}）`}。${mend}`;
    },
    writeNull: ({ word }) => `JSON 没有 ${word}：写 null，或省略这个键`,
    writeTrue: ({ word }) => `JSON 没有 ${word}：写 true`,
    writeFalse: ({ word }) => `JSON 没有 ${word}：写 false`,
    writeNumber: ({ word }) => `JSON 没有 ${word}：写一个数字`,
    bareKey: '这个键要放在双引号中："key"',
    bareText: '这段文本要放在双引号中："text"',
    unclosedQuote: ({ mark }) => `前面的字符串以弯引号（${mark}）结束。${straightZh}`,
    syntax: {
      InvalidSymbol: noJsonZh,
      InvalidNumberFormat: '这不是有效的 JSON 数字',
      PropertyNameExpected: '这里缺少双引号中的键，或者多了一个逗号',
      ValueExpected: '这里缺少值，或者多了一个逗号',
      ColonExpected: '键后面缺少冒号',
      CommaExpected: '这之前缺少逗号',
      CloseBraceExpected: '这里缺少 "}"',
      CloseBracketExpected: '这里缺少 "]"',
      EndOfFileExpected: '对象在这之前已经结束：全部内容要在一对花括号中',
      InvalidCommentToken: '这里不能写注释',
      UnexpectedEndOfComment: '这个注释没有结束：缺少 "*/"',
      UnexpectedEndOfString: '这个字符串没有结束：这一行缺少双引号',
      UnexpectedEndOfNumber: '这不是有效的 JSON 数字',
      InvalidUnicode: '这个字符串中的 "\\u" 后面不是四位十六进制数字',
      InvalidEscapeCharacter: '这个字符串中，反斜杠后面的字母没有含义。反斜杠写成 "\\\\"',
      InvalidCharacter: '这个字符串中有制表符或其他控制字符。制表符写成 "\\t"，换行写成 "\\n"',
      '<unknown ParseErrorCode>': noJsonZh,
    },
  },
});

/** What a sign is, and what to write in its place. */
type SignWords = Readonly<Record<Sign['kind'], readonly [name: string, mend: string]>>;

const englishSigns: SignWords = {
  comma: ['a Chinese comma', 'JSON needs ","'],
  colon: ['a Chinese colon', 'JSON needs ":"'],
  semicolon: ['a semicolon', 'JSON separates with ",", and nothing follows the last "}"'],
  'typographic-quote': ['a typographic quotation mark', straight],
  'other-quote': ['another quotation mark', straight],
  'single-quote': ['a single quotation mark', 'JSON needs double ones: "'],
  backtick: ['a backtick', 'JSON needs double quotation marks: "'],
  'open-brace': ['a wide brace', 'JSON needs "{"'],
  'close-brace': ['a wide brace', 'JSON needs "}"'],
  'open-bracket': ['a wide bracket', 'JSON needs "["'],
  'close-bracket': ['a wide bracket', 'JSON needs "]"'],
  'round-bracket': ['a round bracket', 'JSON has only { } and [ ]'],
  equals: ['an equals sign', 'JSON needs ":" between a key and its value'],
  dash: ['a dash', 'JSON needs the minus sign of the keyboard: "-"'],
  'full-stop': ['a full stop', 'JSON needs "," between values, and "." in numbers'],
  'number-sign': ['a number sign', 'A comment begins with "//"'],
  blank: ['a blank that is not the usual one', usualBlank],
  invisible: ['an invisible character', usualBlank],
};

const chineseSigns: SignWords = {
  comma: ['中文逗号', 'JSON 要用 ","'],
  colon: ['中文冒号', 'JSON 要用 ":"'],
  semicolon: ['分号', 'JSON 用 "," 分隔，最后的 "}" 后面什么都没有'],
  'typographic-quote': ['弯引号', straightZh],
  'other-quote': ['另一种引号', straightZh],
  'single-quote': ['单引号', 'JSON 要用双引号："'],
  backtick: ['反引号', 'JSON 要用双引号："'],
  'open-brace': ['全角花括号', 'JSON 要用 "{"'],
  'close-brace': ['全角花括号', 'JSON 要用 "}"'],
  'open-bracket': ['全角方括号', 'JSON 要用 "["'],
  'close-bracket': ['全角方括号', 'JSON 要用 "]"'],
  'round-bracket': ['圆括号', 'JSON 只有 { } 和 [ ]'],
  equals: ['等号', 'JSON 的键和值之间要用 ":"'],
  dash: ['破折号', 'JSON 要用键盘上的减号："-"'],
  'full-stop': ['句号', 'JSON 的值之间用 ","，数字中用 "."'],
  'number-sign': ['井号', '注释以 "//" 开头'],
  blank: ['特殊的空格', usualBlankZh],
  invisible: ['看不见的字符', usualBlankZh],
};
