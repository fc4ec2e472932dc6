import { catalogue } from '../../../lib/words.ts';

/** The answers of `/pair`, `/people` and `/unpair`. People are given in markdown. */
export const peopleWords = catalogue({
  en: {
    whichCode:
      'Say which: `/pair CODE`. I give the code to a stranger who writes to me; they have to tell it to you. For a device of your own, write `/device`.',
    wrongCode: 'There is no such code, or it is no longer valid. `/people` shows who has one.',
    letIn: ({ person, undo, sharesFiles }: LetIn) =>
      `🔑 Let in: ${person}. ${undo} undoes it.${sharesFiles ? ' They work in the same folder as you, and can read what is in it. To give people separate folders, put `{sender}` into `workspace` in my config.' : ''}`,
    whoToUnpair: 'Say who: `/unpair ID`. `/people` shows the ids.',
    notPaired: 'Nobody with that id was let in with a code. `/people` shows who was.',
    inConfig: 'The config lets them talk: remove them there.',
    several: ({ people }: { readonly people: readonly string[] }) =>
      `That could be ${people.join(' or ')}. Say it with the channel.`,
    unpaired: ({ person, isNamed, isLinkedIn }: Unpaired) =>
      [
        `No longer let in: ${person}.`,
        ...(isNamed ? ['They may still talk, since the config lets them.'] : []),
        ...(isLinkedIn
          ? ['They may still talk, since a linked account of theirs may: `/links` shows it, `/unlink ID` ends that.']
          : []),
      ].join(' '),
    letInList: ({ people }: { readonly people: readonly string[] }) =>
      people.length === 0
        ? 'Nobody was let in with a code. Owners and people named in the config may talk anyway.'
        : ['Let in with a code:', ...people, '', 'End it with `/unpair ID`.'].join('\n'),
    personLine: ({ person, by, since }: PersonLine) => `- ${person}, by ${by} since ${since}`,
    holderList: ({ holders }: { readonly holders: readonly string[] }) =>
      holders.length === 0
        ? 'Nobody has a code.'
        : ['Have a code, and ask to be let in:', ...holders, '', 'Let one in with `/pair CODE`: they have it.'].join(
            '\n',
          ),
    holderLine: ({ person, rest }: { readonly person: string; readonly rest: string }) =>
      `- ${person}, for another ${rest}`,
  },
  zh: {
    whichCode:
      '要用哪个配对码？发送 `/pair 配对码`。陌生人给我发消息时，我会给对方一个配对码，由对方告诉你。要添加自己的设备，发送 `/device`。',
    wrongCode: '没有这个配对码，或它已失效。`/people` 会列出谁持有配对码。',
    letIn: ({ person, undo, sharesFiles }) =>
      `🔑 已允许 ${person} 和我对话。${undo} 可撤销。${sharesFiles ? '对方和你使用同一个文件夹，能读到里面的内容。要让每个人使用单独的文件夹，在配置的 `workspace` 中加入 `{sender}`。' : ''}`,
    whoToUnpair: '不再允许谁？发送 `/unpair ID`。`/people` 会列出各人的 ID。',
    notPaired: '凭配对码加入的人中没有这个 ID。`/people` 会列出已加入的人。',
    inConfig: '对方是由配置允许的，要在配置中移除。',
    several: ({ people }) => `可能是 ${people.join(' 或 ')}。要连同渠道一起写明。`,
    unpaired: ({ person, isNamed, isLinkedIn }) =>
      [
        `不再允许 ${person} 和我对话。`,
        isNamed ? '对方仍可以对话，因为配置允许。' : '',
        isLinkedIn
          ? '对方关联的另一个账号可以对话，所以这个账号仍可以：`/links` 可查看，`/unlink ID` 可解除关联。'
          : '',
      ].join(''),
    letInList: ({ people }) =>
      people.length === 0
        ? '还没有人凭配对码加入。所有者和配置中列出的人本来就可以对话。'
        : ['凭配对码加入的人：', ...people, '', '`/unpair ID` 可撤销。'].join('\n'),
    personLine: ({ person, by, since }) => `- ${person}，由 ${by} 于 ${since}允许`,
    holderList: ({ holders }) =>
      holders.length === 0
        ? '没有人持有配对码。'
        : [
            '持有配对码、等待加入的人：',
            ...holders,
            '',
            '发送 `/pair 配对码` 即可允许其中一人：配对码在对方手里。',
          ].join('\n'),
    holderLine: ({ person, rest }) => `- ${person}，还有 ${rest}有效`,
  },
});

interface LetIn {
  readonly person: string;
  /** The command that undoes it. */
  readonly undo: string;
  /** They work in the same folder as the owner. */
  readonly sharesFiles: boolean;
}

interface Unpaired {
  readonly person: string;
  /** The config names them. */
  readonly isNamed: boolean;
  /** An account linked with theirs may talk. */
  readonly isLinkedIn: boolean;
}

interface PersonLine {
  readonly person: string;
  readonly by: string;
  readonly since: string;
}
