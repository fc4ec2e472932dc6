import { catalogue } from '../../lib/words.ts';

/** Memories and pinned facts, for people. Names and texts are given in markdown. */
export const memoryWords = catalogue({
  en: {
    /** The names of tools, on cards. */
    names: { memory_store: 'Remember', memory_search: 'Search memory', memory_forget: 'Forget' },
    menu: {
      pin: {
        description: 'Keep a fact in mind in this conversation',
        argument: 'TEXT',
        help: '`/pin TEXT`, `/pins`, `/unpin N`: facts that I always keep in mind here',
      },
      pins: { description: 'Show the pinned facts', argument: '', help: '' },
      unpin: { description: 'Take a pinned fact away', argument: 'N or all', help: '' },
      memories: {
        description: 'Show what I remember for you; change or forget it',
        argument: '[find WORDS, edit ID TEXT or forget ID]',
        help: '`/memories`: what I remember for you in all chats',
      },
    },
    memoriesUsage: 'Say `/memories`, `/memories find WORDS`, `/memories edit ID TEXT` or `/memories forget ID`.',
    remembered: ({ lines, sought }: { readonly lines: readonly string[]; readonly sought: string | undefined }) =>
      lines.length > 0
        ? ['**Remembered**', ...lines, '', 'Change one with `/memories edit ID TEXT`.'].join('\n')
        : sought === undefined
          ? 'I remember nothing for you yet. Say, for example: remember that I drink tea without milk.'
          : `I remember nothing that has to do with ${sought}.`,
    memoryLine: ({ id, text, day }: { readonly id: string; readonly text: string; readonly day: string }) =>
      `${id} ${text} (${day})`,
    noSuchMemory: 'I remember nothing of that ID for you. `/memories` shows what I remember.',
    memoryChanged: ({ text }: { readonly text: string }) => `Changed: ${text}`,
    memoryTooLong: ({ length, most }: { readonly length: number; readonly most: number }) =>
      `Not changed: a memory has at most ${most} characters, and this has ${length}.`,
    askForget: ({ text }: { readonly text: string }) => `Forget this for good? ${text}`,
    forgotten: ({ text }: { readonly text: string }) => `Forgotten: ${text}`,
    buttonForgetNumber: ({ number }: { readonly number: number }) => `Forget ${number}`,
    buttonForget: 'Forget',
    buttonKeep: 'Keep',
    // Lists aside from the chats.
    listed: {
      stored: 'Remembered',
      pinnedAt: 'Pinned',
      everywhere: 'In all your chats',
      here: 'Only in the chat where it was remembered',
      tags: ({ tags }: { readonly tags: readonly string[] }) => `Found under: ${tags.join(', ')}`,
      sources: ({ sources }: { readonly sources: string }) => `Had been read before: ${sources}`,
      edit: 'Change',
      forget: 'Forget',
      unpin: 'Unpin',
      by: ({ name, place }: { readonly name: string; readonly place: string }) => `By ${name}, in ${place}`,
      askForget: 'Forget this for good?',
      askUnpin: 'Take this fact away?',
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
    // What a call does, after "May I".
    remember: ({ text }: { readonly text: string }) => `remember ${text}`,
    listMemories: 'list the newest memories',
    searchMemory: ({ query }: { readonly query: string }) => `search the memory for ${query}`,
    forget: ({ id }: { readonly id: string }) => `forget the memory ${id}`,
  },
  zh: {
    names: { memory_store: '记住', memory_search: '搜索记忆', memory_forget: '忘记' },
    menu: {
      pin: {
        description: '在这个对话中置顶一条内容',
        argument: '内容',
        help: '`/pin 内容`、`/pins`、`/unpin N`：我在这里会一直记住的内容',
      },
      pins: { description: '查看置顶的内容', argument: '', help: '' },
      unpin: { description: '取消置顶一条内容', argument: 'N 或 all', help: '' },
      memories: {
        description: '查看我为你记住的内容，修改或忘记',
        argument: '[find 词语、edit ID 内容 或 forget ID]',
        help: '`/memories`：我在所有聊天中为你记住的内容',
      },
    },
    memoriesUsage: '发送 `/memories`、`/memories find 词语`、`/memories edit ID 内容` 或 `/memories forget ID`。',
    remembered: ({ lines, sought }) =>
      lines.length > 0
        ? ['**已记住**', ...lines, '', '用 `/memories edit ID 内容` 可以修改。'].join('\n')
        : sought === undefined
          ? '我还没有为你记住什么。可以说，例如：记住我喜欢喝茶。'
          : `没有找到与 ${sought} 有关的记忆。`,
    memoryLine: ({ id, text, day }) => `${id} ${text}（${day}）`,
    noSuchMemory: '我为你记住的内容中没有这个 ID。`/memories` 会列出它们。',
    memoryChanged: ({ text }) => `已修改：${text}`,
    memoryTooLong: ({ length, most }) => `未修改：一条记忆最多 ${most} 个字符，这段有 ${length} 个。`,
    askForget: ({ text }) => `要永久忘记这条吗？${text}`,
    forgotten: ({ text }) => `已忘记：${text}`,
    buttonForgetNumber: ({ number }) => `忘记 ${number}`,
    buttonForget: '忘记',
    buttonKeep: '保留',
    listed: {
      stored: '记住于',
      pinnedAt: '置顶于',
      everywhere: '用于你的所有聊天',
      here: '只用于记住它的那个聊天',
      tags: ({ tags }) => `关键词：${tags.join('、')}`,
      sources: ({ sources }) => `此前读过：${sources}`,
      edit: '修改',
      forget: '忘记',
      unpin: '取消置顶',
      by: ({ name, place }) => `来自 ${name}，在 ${place}`,
      askForget: '要永久忘记这条吗？',
      askUnpin: '要取消置顶这条吗？',
    },
    whatToPin: '要置顶什么？发送 `/pin 内容`。不管其他内容是否被总结或省略，我在这里都会记住它。',
    tooLong: ({ length, most }) => `未置顶：一条最多 ${most} 个字符，这条有 ${length} 个。缩短一些，或分成几条。`,
    pinned: ({ number }) => `📌 已置顶为第 ${number} 条。我在这里会一直记住它，直到你发送 \`/unpin ${number}\`。`,
    known: ({ number }) => `这条已经置顶，是第 ${number} 条。`,
    full: ({ most }) => `未置顶：这里已置顶 ${most} 条，达到上限。\`/pins\` 会列出它们，\`/unpin N\` 可取消其中一条。`,
    whichToUnpin: '要取消置顶哪一条？发送 `/unpin N` 或 `/unpin all`。`/pins` 会列出编号。',
    nothingToUnpin: '这里没有置顶的内容。',
    unpinnedAll: ({ count }) => (count === 1 ? '已取消置顶这一条。' : `已取消置顶全部 ${count} 条。`),
    unpinned: ({ text }) => `已取消置顶：${text}`,
    noSuchFact: ({ number }) => `这里没有置顶的第 ${number} 条。\`/pins\` 会列出现有的。`,
    list: ({ facts }) =>
      facts.length === 0
        ? '这里还没有置顶的内容。用 `/pin 内容` 让我记住一条。'
        : [
            '这里置顶的内容：',
            ...facts.map(({ number, name, text }) => `- \`${number}\`，来自 ${name}：${text}`),
            '',
            '用 `/unpin N` 取消一条，用 `/unpin all` 取消全部。',
          ].join('\n'),
    remember: ({ text }) => `记住 ${text}`,
    listMemories: '列出最新的记忆',
    searchMemory: ({ query }) => `在记忆中搜索 ${query}`,
    forget: ({ id }) => `忘记 ID 为 ${id} 的记忆`,
  },
});

interface FactWords {
  readonly number: number;
  /** Who has pinned it. */
  readonly name: string;
  readonly text: string;
}
