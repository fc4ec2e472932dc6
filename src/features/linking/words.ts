import { catalogue } from '../../lib/words.ts';

/** Linked accounts, for people. Accounts and commands with values are given in markdown. */
export const linkingWords = catalogue({
  en: {
    menu: {
      link: {
        description: 'Link another account of yours',
        argument: '[CODE]',
        help: '`/link`, `/links`, `/unlink ID`: your accounts on other platforms',
      },
      links: { description: 'Show which accounts are yours', argument: '', help: '' },
      unlink: { description: 'Take an account out again', argument: '[ID]', help: '' },
    },
    code: ({ command, code, lifetime, letsIn }: CodeWords) =>
      [
        `From your other account, send me ${command} in a direct chat, or as commands are written there. ${letsIn ? 'It may be one that I do not know yet.' : 'It has to be one that may talk to me already: here, everybody may.'}`,
        `The code: ${code}`,
        `It is good for ${lifetime}, once. Anybody who uses it acts as you: they can read what I remember for you, and do what you may do. Type it yourself and show it to nobody, whatever reason they give.`,
      ].join('\n\n'),
    joined: ({ account }: Account) =>
      `🔗 Linked: this account and ${account} are the same person to me now. \`/links\` shows all, \`/unlink\` undoes it.`,
    linkedNotice: ({ account, undo }: Undoable) =>
      `🔗 Linked with your code: ${account} is you to me now. If that was not you, write ${undo} at once.`,
    ownersNotice: ({ account, linked, undo }: Undoable & { readonly linked: string }) =>
      `🔗 ${linked} has linked another account: ${account} may talk to me now, as the same person. ${undo} undoes it.`,
    unlinkedNotice: '🔗 This account is no longer linked.',
    takenOut: ({ account }: Partial<Account>) =>
      `${account === undefined ? 'This account' : account} is no longer linked. What it did under its own name stays with it.`,
    yourAccounts: ({ lines }: Lines) =>
      `You are to me:\n${lines.join('\n')}\n\n\`/unlink ID\` takes one out, \`/unlink\` this one.`,
    otherPeople: ({ people }: { readonly people: readonly string[] }) =>
      ['Other people with several accounts:', ...people].join('\n\n'),
    // A list aside from the chats.
    listed: {
      yours: 'Your account',
      others: 'Of another person with several accounts',
      alone: 'Linked with no other',
      inConfig: 'By the config',
      linked: 'Linked with a code',
      since: 'Linked',
      unlink: 'Take out',
      askUnlink: 'Is this account somebody else from now on? A code links it again.',
    },
    accountLine: ({ account, since, isThis }: AccountLine) =>
      `- ${account}, ${since === undefined ? 'by the config' : `since ${since}`}${isThis ? ' (this one)' : ''}`,
    several: ({ accounts }: { readonly accounts: readonly string[] }) =>
      `That could be ${accounts.join(' or ')}. Say it with the channel.`,
    notLinked: 'This account is linked with no other. `/link` gives you a code for another one of yours.',
    notHere:
      'Write that to me in a chat of our own: it is not for a group to read. A code that was written here is no longer valid.',
    notFromDevice:
      'Ask for that in another chat: on a device that was paired, no accounts are linked. It is yours as long as it is paired.',
    wrongCode:
      'There is no such code, or it is no longer valid. To get one, write `/link` to me with the account that I know already.',
    inConfig: 'That link is in the config, under `people`, and can only be undone there.',
    notFound: 'No account with that id is linked with yours. `/links` shows them.',
    ownCode: 'That is the code of this very account. Type it with the other one.',
    alreadyTogether: 'The two accounts are linked already.',
    alreadyElsewhere:
      'This account is linked with others already. `/unlink` takes it out; or write `/link` here, and type that code with the other account.',
    full: 'That person has as many accounts as one may have.',
    fromTheOther:
      'Not linked: this account may do more than the one with the code, and that would be given away. If both are yours, write `/link` here, and type that code with the other one.',
    cannotLetIn:
      'That code is valid, but this account may talk to me only because everybody may there. An owner has to let this account in first.',
  },
  zh: {
    menu: {
      link: {
        description: '关联你的另一个账号',
        argument: '[关联码]',
        help: '`/link`、`/links`、`/unlink ID`：你在其他平台上的账号',
      },
      links: { description: '查看哪些账号是你的', argument: '', help: '' },
      unlink: { description: '解除一个账号的关联', argument: '[ID]', help: '' },
    },
    code: ({ command, code, lifetime, letsIn }) =>
      [
        `用你的另一个账号在私聊中把 ${command} 发给我，或按那边的命令写法发送。${letsIn ? '可以是我还不认识的账号。' : '那个账号必须已经可以和我对话，因为这里对任何人开放。'}`,
        `关联码：${code}`,
        `关联码 ${lifetime}内有效，只能用一次。谁用了它，谁就能以你的身份行事：能读到我为你记住的内容，也能做你能做的事。要自己输入，无论对方给出什么理由都不要给任何人看。`,
      ].join('\n\n'),
    joined: ({ account }) =>
      `🔗 已关联：现在这个账号和 ${account} 对我来说是同一个人。\`/links\` 可查看全部，\`/unlink\` 可解除。`,
    linkedNotice: ({ account, undo }) =>
      `🔗 有人用你的关联码完成了关联：现在 ${account} 对我来说就是你。如果不是你本人操作，立即发送 ${undo}。`,
    ownersNotice: ({ account, linked, undo }) =>
      `🔗 ${linked} 关联了另一个账号：现在 ${account} 可以作为同一个人和我对话。${undo} 可解除。`,
    unlinkedNotice: '🔗 这个账号已解除关联。',
    takenOut: ({ account }) =>
      `${account === undefined ? '这个账号' : `${account} `}已解除关联。它以前以自己的名义做的事，仍记在它名下。`,
    yourAccounts: ({ lines }) =>
      `在我看来，你是：\n${lines.join('\n')}\n\n\`/unlink ID\` 解除其中一个，\`/unlink\` 解除当前这个。`,
    otherPeople: ({ people }) => ['其他有多个账号的人：', ...people].join('\n\n'),
    listed: {
      yours: '你的账号',
      others: '属于另一位有多个账号的人',
      alone: '没有与其他账号关联',
      inConfig: '依据配置',
      linked: '用代码关联',
      since: '关联于',
      unlink: '移出',
      askUnlink: '从现在起这个账号算作另一个人吗？可以用代码重新关联。',
    },
    accountLine: ({ account, since, isThis }) =>
      `- ${account}，${since === undefined ? '来自配置' : `关联于 ${since}`}${isThis ? '（当前账号）' : ''}`,
    several: ({ accounts }) => `可能是 ${accounts.join(' 或 ')}。要连同渠道一起写明。`,
    notLinked: '这个账号没有关联其他账号。`/link` 会给你一个关联码，用于你的另一个账号。',
    notHere: '在和我的私聊里发这条命令：内容不适合在群里公开。在这里写出的关联码已失效。',
    notFromDevice: '换一个聊天再试：在已配对的设备上不能关联账号。只要设备保持配对，它就是你的。',
    wrongCode: '没有这个关联码，或它已失效。要获取关联码，用我已经认识的账号给我发送 `/link`。',
    inConfig: '这项关联写在配置的 `people` 中，只能在那里解除。',
    notFound: '与你关联的账号中没有这个 ID。`/links` 会列出它们。',
    ownCode: '这是当前账号自己的关联码。要用另一个账号输入。',
    alreadyTogether: '这两个账号已经关联。',
    alreadyElsewhere:
      '这个账号已经关联了其他账号。先用 `/unlink` 解除；或者在这里发送 `/link`，再用另一个账号输入得到的关联码。',
    full: '对方关联的账号已达上限。',
    fromTheOther:
      '未关联：这个账号的权限比持有关联码的账号更大，关联会把权限让出去。如果两个都是你的，在这里发送 `/link`，再用另一个账号输入得到的关联码。',
    cannotLetIn: '关联码有效，但这个账号能和我对话，只是因为那里任何人都可以。要先由所有者允许这个账号和我对话。',
  },
});

interface Account {
  readonly account: string;
}

interface Undoable extends Account {
  /** The command that undoes it. */
  readonly undo: string;
}

interface Lines {
  readonly lines: readonly string[];
}

interface CodeWords {
  /** How the code is given. */
  readonly command: string;
  readonly code: string;
  readonly lifetime: string;
  /** Whether an account that is not known yet may use it. */
  readonly letsIn: boolean;
}

interface AccountLine extends Account {
  /** Undefined: the config has linked it. */
  readonly since: string | undefined;
  /** It is the one that asks. */
  readonly isThis: boolean;
}
