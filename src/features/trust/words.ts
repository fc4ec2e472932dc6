import { catalogue } from '../../lib/words.ts';

/** The decisions of owners about external code. Ids, commands and names are given in markdown. */
export const trustCommandWords = catalogue({
  en: {
    menu: {
      trust: {
        description: 'Show or trust what others have written',
        argument: '[ID]',
        help: '`/trust ID`, `/distrust ID`: review what others have written',
      },
      distrust: { description: 'Trust it no longer, or refuse it', argument: 'ID', help: '' },
    },
    // A list aside from the chats.
    listed: {
      waits: 'Off until an owner trusts it',
      refused: 'Refused: it stays off',
      trustedBy: ({ by }: { readonly by: string | undefined }) =>
        by === undefined ? "Trusted by the config's word" : `Trusted by ${by}`,
      fingerprint: ({ fingerprint }: { readonly fingerprint: string }) => `Fingerprint ${fingerprint}`,
      seen: 'First seen',
      since: 'Trusted',
      trust: 'Trust',
      refuse: 'Refuse',
      distrust: 'Trust no longer',
      askTrust: 'Trust it exactly as it is now?',
      askDistrust: 'Switch it off until an owner trusts it again?',
    },
    buttonTrust: ({ number }: { readonly number: number }) => `Trust ${number}`,
    buttonRefuse: ({ number }: { readonly number: number }) => `Refuse ${number}`,
    buttonShow: 'Show',
    whichToDistrust: 'Say which: `/distrust ID`. `/trust` shows the ids.',
    showsAgain: '`/trust` shows all of it again.',
    asked: ({ what, trust, distrust, fingerprint }: Asked) =>
      `${what}\nTrust it as it is: ${trust}. Refuse it: ${distrust}. Its fingerprint is ${fingerprint}.`,
    trustedList: ({ lines }: Lines) => ['Trusted:', ...lines].join('\n'),
    refusedList: ({ lines }: Lines) => ['Refused:', ...lines].join('\n'),
    trustedLine: ({ id, subject, by, since }: TrustedLine) =>
      `- ${id}: ${subject}, ${by === undefined ? "by the config's word" : `by ${by}`} since ${since}`,
    refusedLine: ({ subject, trust }: { readonly subject: string; readonly trust: string }) =>
      `- ${subject}: ${trust} would trust it`,
    endsIt: '`/distrust ID` ends it.',
    fitsNothing: ({ isRest }: { readonly isRest: boolean }) =>
      `${isRest ? 'The rest: no such ID' : 'No such ID'}. What has changed since has another one: \`/trust\` shows them.`,
    waitsForTrust: ({ count }: { readonly count: number }) =>
      `🔒 ${count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`} to be trusted: \`/trust\`.`,
  },
  zh: {
    menu: {
      trust: {
        description: '查看或信任由他人编写的内容',
        argument: '[ID]',
        help: '`/trust ID`、`/distrust ID`：审查由他人编写的内容',
      },
      distrust: { description: '不再信任，或拒绝', argument: 'ID', help: '' },
    },
    listed: {
      waits: '已停用，所有者信任后才会启用',
      refused: '已拒绝，保持停用',
      trustedBy: ({ by }) => (by === undefined ? '依据配置信任' : `由 ${by} 信任`),
      fingerprint: ({ fingerprint }) => `指纹 ${fingerprint}`,
      seen: '首次出现',
      since: '信任于',
      trust: '信任',
      refuse: '拒绝',
      distrust: '不再信任',
      askTrust: '按现状信任它吗？',
      askDistrust: '要停用它，直到所有者重新信任吗？',
    },
    buttonTrust: ({ number }) => `信任 ${number}`,
    buttonRefuse: ({ number }) => `拒绝 ${number}`,
    buttonShow: '查看',
    whichToDistrust: '不再信任哪一个？发送 `/distrust ID`。`/trust` 会列出 ID。',
    showsAgain: '`/trust` 可以再次查看全部。',
    asked: ({ what, trust, distrust, fingerprint }) =>
      `${what}\n按现状信任：${trust}。拒绝：${distrust}。指纹：${fingerprint}。`,
    trustedList: ({ lines }) => ['已信任：', ...lines].join('\n'),
    refusedList: ({ lines }) => ['已拒绝：', ...lines].join('\n'),
    trustedLine: ({ id, subject, by, since }) =>
      `- ${id}：${subject}，${by === undefined ? '依据配置' : `由 ${by} `}于 ${since}信任`,
    refusedLine: ({ subject, trust }) => `- ${subject}：${trust} 可改为信任`,
    endsIt: '`/distrust ID` 可撤销信任。',
    fitsNothing: ({ isRest }) =>
      `${isRest ? '其余的 ID 没有对应的内容' : '没有对应的内容'}：内容改动后 ID 也会改变。\`/trust\` 会列出它们。`,
    waitsForTrust: ({ count }) => `🔒 有 ${count} 项由他人编写的内容等待信任：发送 \`/trust\` 查看。`,
  },
});

interface Asked {
  /** What it is and adds, in a few lines. */
  readonly what: string;
  /** The commands that trust and refuse it. */
  readonly trust: string;
  readonly distrust: string;
  readonly fingerprint: string;
}

interface Lines {
  readonly lines: readonly string[];
}

interface TrustedLine {
  readonly id: string;
  readonly subject: string;
  /** Who trusts it; undefined: the config. */
  readonly by: string | undefined;
  readonly since: string;
}
