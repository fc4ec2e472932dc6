import { catalogue } from '../../lib/words.ts';

/** Pinned facts, for people. Names and texts are given in markdown. */
export const memoryWords = catalogue({
  en: {
    menu: {
      pin: {
        description: 'Keep a fact in mind in this conversation',
        argument: 'TEXT',
        help: '`/pin TEXT`, `/pins`, `/unpin N`: facts that I always keep in mind here',
      },
      pins: { description: 'Show the pinned facts', argument: '', help: '' },
      unpin: { description: 'Take a pinned fact away', argument: 'N or all', help: '' },
    },
    whatToPin: 'Say what: `/pin TEXT`. I keep it in mind here, whatever else is summarised or left out.',
    tooLong: ({ length, most }: { readonly length: number; readonly most: number }) =>
      `Not pinned: a fact has at most ${most} characters, and this has ${length}. Say it in fewer words, or pin it in parts.`,
    pinned: ({ number }: { readonly number: number }) =>
      `📌 Pinned as ${number}. I keep it in mind here until you say \`/unpin ${number}\`.`,
    known: ({ number }: { readonly number: number }) => `That is pinned already, as ${number}.`,
    full: ({ most }: { readonly most: number }) =>
      `Not pinned: ${most} facts are pinned here, which is as many as there may be. \`/pins\` shows them, \`/unpin N\` takes one away.`,
    whichToUnpin: 'Say which: `/unpin N` or `/unpin all`. `/pins` shows the numbers.',
    nothingToUnpin: 'Nothing was pinned here.',
    unpinnedAll: ({ count }: { readonly count: number }) =>
      count === 1 ? 'Unpinned the one fact.' : `Unpinned all ${count} facts.`,
    unpinned: ({ text }: { readonly text: string }) => `Unpinned: ${text}`,
    noSuchFact: ({ number }: { readonly number: number }) =>
      `No fact is pinned here as ${number}. \`/pins\` shows those that are.`,
    list: ({ facts }: { readonly facts: readonly FactWords[] }) =>
      facts.length === 0
        ? 'Nothing is pinned here. `/pin TEXT` has me keep a fact in mind.'
        : [
            'Pinned here:',
            ...facts.map(({ number, name, text }) => `- \`${number}\`, by ${name}: ${text}`),
            '',
            'Take one away with `/unpin N`, or all with `/unpin all`.',
          ].join('\n'),
  },
  zh: {
    menu: {
      pin: {
        description: '在这个会话中固定一条事实',
        argument: '内容',
        help: '`/pin 内容`、`/pins`、`/unpin N`：我在这里会一直记住的事实',
      },
      pins: { description: '查看固定的事实', argument: '', help: '' },
      unpin: { description: '取消固定一条事实', argument: 'N 或 all', help: '' },
    },
    whatToPin: '要固定什么？发送 `/pin 内容`。无论其他内容是否被总结或省略，我在这里都会记住它。',
    tooLong: ({ length, most }) => `未固定：一条事实最多 ${most} 个字符，这条有 ${length} 个。缩短一些，或分成几条。`,
    pinned: ({ number }) => `📌 已固定为第 ${number} 条。我在这里会一直记住它，直到你发送 \`/unpin ${number}\`。`,
    known: ({ number }) => `这条已经固定过，是第 ${number} 条。`,
    full: ({ most }) =>
      `未固定：这里已固定 ${most} 条事实，达到上限。\`/pins\` 会列出它们，\`/unpin N\` 可取消其中一条。`,
    whichToUnpin: '要取消哪一条？发送 `/unpin N` 或 `/unpin all`。`/pins` 会列出编号。',
    nothingToUnpin: '这里没有固定的事实。',
    unpinnedAll: ({ count }) => (count === 1 ? '已取消固定这条事实。' : `已取消固定全部 ${count} 条事实。`),
    unpinned: ({ text }) => `已取消固定：${text}`,
    noSuchFact: ({ number }) => `这里没有第 ${number} 条固定的事实。\`/pins\` 会列出现有的。`,
    list: ({ facts }) =>
      facts.length === 0
        ? '这里还没有固定的事实。用 `/pin 内容` 让我记住一条。'
        : [
            '固定在这里的事实：',
            ...facts.map(({ number, name, text }) => `- \`${number}\`，来自 ${name}：${text}`),
            '',
            '用 `/unpin N` 取消一条，用 `/unpin all` 取消全部。',
          ].join('\n'),
  },
});

interface FactWords {
  readonly number: number;
  /** Who has pinned it. */
  readonly name: string;
  readonly text: string;
}
