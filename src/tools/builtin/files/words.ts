import { catalogue } from '../../../lib/words.ts';
import { formatSize } from '../../text.ts';

/** Why an edit cannot be done, for people. */
export type EditFault =
  | { readonly why: 'unchanged' | 'absent' | 'binary' }
  /** The same text stands there with other characters. */
  | { readonly why: 'look-alike'; readonly line: number }
  | { readonly why: 'ambiguous'; readonly count: number }
  | { readonly why: 'too-large'; readonly most: number }
  /** The file cannot be written back as it is. */
  | { readonly why: 'inexact'; readonly charset: string }
  | { readonly why: 'unwritable'; readonly charset: string; readonly character: string }
  /** The workspace refuses it: as markdown. */
  | { readonly why: 'refused'; readonly reason: string };

/** What a card shows of an edit. */
export const fileWords = catalogue({
  en: {
    willFail: (fault: EditFault) => `As the file is now, this will fail: ${englishFault(fault)}`,
    morePlaces: (count: number) => `and ${count} more ${count === 1 ? 'place' : 'places'}`,
    moreLines: (count: number) => `… ${count} more ${count === 1 ? 'line' : 'lines'} …`,
    cut: '… cut …',
    sameContent: 'The file has this content already.',
  },
  zh: {
    willFail: (fault) => `按文件现在的内容，这次修改会失败：${chineseFault(fault)}`,
    morePlaces: (count) => `以及另外 ${count} 处`,
    moreLines: (count) => `…… 另外 ${count} 行 ……`,
    cut: '…… 已截断 ……',
    sameContent: '文件已经是这个内容。',
  },
});

function englishFault(fault: EditFault): string {
  switch (fault.why) {
    case 'unchanged':
      return 'the old and the new text are the same.';
    case 'absent':
      return 'the text to replace is not in it.';
    case 'binary':
      return 'it is a binary file.';
    case 'look-alike':
      return `the text to replace is not in it as written, but only with other characters, from line ${fault.line} on.`;
    case 'ambiguous':
      return `the text to replace stands in it ${fault.count} times.`;
    case 'too-large':
      return `it would be too large: at most ${formatSize(fault.most)} can be written.`;
    case 'inexact':
      return `it seems to be in ${fault.charset}, and writing it would change other parts of it.`;
    case 'unwritable':
      return `it is in ${fault.charset}, which has no "${fault.character}".`;
    case 'refused':
      return fault.reason;
  }
}

function chineseFault(fault: EditFault): string {
  switch (fault.why) {
    case 'unchanged':
      return '新旧文本相同。';
    case 'absent':
      return '文件中没有要替换的文本。';
    case 'binary':
      return '这是二进制文件。';
    case 'look-alike':
      return `文件中没有完全一致的文本，只有字符不同的相似文本，从第 ${fault.line} 行开始。`;
    case 'ambiguous':
      return `要替换的文本在文件中出现了 ${fault.count} 次。`;
    case 'too-large':
      return `文件会超过可写入的上限 ${formatSize(fault.most)}。`;
    case 'inexact':
      return `文件的编码似乎是 ${fault.charset}，但无法逐字节原样写回。`;
    case 'unwritable':
      return `文件的编码是 ${fault.charset}，其中没有“${fault.character}”。`;
    case 'refused':
      return fault.reason;
  }
}
