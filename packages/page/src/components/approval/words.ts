import { catalogue, counted } from '../../lib/language.ts';

interface Deadline {
  readonly time: string;
}

interface Counted {
  readonly count: number;
}

/** Cards that ask for a decision, and how files change. */
export const approvalWords = catalogue({
  en: {
    kinds: { call: 'May this run?', question: 'A question', extension: 'May it go on?' },
    dangerous: 'Danger',
    forYou: 'for you',
    forPerson: ({ name }: { readonly name: string }) => `for ${name}`,
    asked: 'asked',
    openUntil: ({ time }: Deadline) => `open until ${time}`,
    notShown: 'nobody has seen it yet',
    over: 'Its time is over.',
    asks: 'It asks because:',
    everything: ({ count }: Counted) =>
      count === 1 ? 'All that it is called with' : `All that the ${count} calls are called with`,
    callNumber: ({ number, tool }: { readonly number: number; readonly tool: string }) => `Call ${number}: ${tool}`,
    noArguments: 'It is called with nothing.',
    longText: ({ characters, lines }: { readonly characters: string; readonly lines: string }) =>
      `${counted(characters, 'character')}, ${counted(lines, 'line')}`,
    list: ({ count }: Counted) => `a list of ${count}`,
    object: ({ count }: Counted) => counted(count, 'value'),
    empty: 'empty',
    answer: 'Your answer',
    sendAnswer: 'Answer',
    reason: 'Why not? The model reads it.',
    cancel: 'Cancel',
    look: 'Look at it first: the button works in a moment.',
    file: ({ path }: { readonly path: string }) => `How ${path} changes`,
    newFile: 'new file',
    removedLines: ({ count }: { readonly count: string }) => `−${count}`,
    addedLines: ({ count }: { readonly count: string }) => `+${count}`,
    changeSummary: ({ removed, added }: { readonly removed: string; readonly added: string }) =>
      `${counted(removed, 'line goes', 'lines go')}, ${counted(added, 'line comes', 'lines come')}`,
    leftOut: ({ count }: Counted) => counted(count, 'line that stays', 'lines that stay'),
    moreRows: ({ count }: { readonly count: string }) => `Show ${counted(count, 'more line')}`,
    sideBySide: 'Side by side',
    inOneColumn: 'In one column',
    unchanged: 'The file stays as it is.',
    showChange: 'Show the whole change',
    beforeColumn: 'Before',
    afterColumn: 'After',
  },
  zh: {
    kinds: { call: '可以执行吗？', question: '提问', extension: '可以继续吗？' },
    dangerous: '危险',
    forYou: '为你',
    forPerson: ({ name }) => `为 ${name}`,
    asked: '提出于',
    openUntil: ({ time }) => `有效至 ${time}`,
    notShown: '还没有人看到',
    over: '已经过期。',
    asks: '需要批准的原因：',
    everything: ({ count }) => (count === 1 ? '全部参数' : `${count} 个调用的全部参数`),
    callNumber: ({ number, tool }) => `调用 ${number}：${tool}`,
    noArguments: '没有参数。',
    longText: ({ characters, lines }) => `${characters} 个字符，${lines} 行`,
    list: ({ count }) => `${count} 项的列表`,
    object: ({ count }) => `${count} 个值`,
    empty: '空',
    answer: '你的回答',
    sendAnswer: '回答',
    reason: '拒绝的原因（模型会看到）',
    cancel: '取消',
    look: '请先看一看：按钮稍后可用。',
    file: ({ path }) => `${path} 的改动`,
    newFile: '新文件',
    removedLines: ({ count }) => `−${count}`,
    addedLines: ({ count }) => `+${count}`,
    changeSummary: ({ removed, added }) => `删除 ${removed} 行，新增 ${added} 行`,
    leftOut: ({ count }) => `${count} 行不变`,
    moreRows: ({ count }) => `再显示 ${count} 行`,
    sideBySide: '并排',
    inOneColumn: '单列',
    unchanged: '文件不变。',
    showChange: '显示全部改动',
    beforeColumn: '之前',
    afterColumn: '之后',
  },
});
