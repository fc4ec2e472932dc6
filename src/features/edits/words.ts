import { catalogue } from '../../lib/words.ts';
import type { ConfigEdit } from './tables.ts';

/** The answers of `/config`, and what owners are told of an edit. */
export const editWords = catalogue({
  en: {
    menu: {
      config: {
        description: 'Show recent changes of the config',
        argument: '',
        help: '`/config`: what was changed in the config',
      },
    },
    moment: ({ day, time }: { readonly day: string; readonly time: string }) => `${day}, ${time}`,
    nothingChanged: ({ since }: { readonly since: string }) =>
      `Nothing was changed in the config since ${since}, when I started.`,
    changes: ({ edits }: { readonly edits: readonly EditWords[] }) =>
      `What was changed in the config, the newest first:\n\n${edits
        .map(({ at, words, effect }) => `- ${at}: ${words}${enEffects[effect]}`)
        .join('\n')}`,
    changeGroups: '`/people` changes what holds in a group; the config is stronger.',
    configChanged: '⚙️ The config was changed.',
    allowsMore: 'This allows more:',
    allowsLess: 'This allows less:',
    doesNotWork: '⚠️ This does not work:',
    mayBeMistake: '⚠️ This may be a mistake:',
  },
  zh: {
    menu: {
      config: { description: '查看配置最近的修改', argument: '', help: '`/config`：配置有哪些修改' },
    },
    moment: ({ day, time }) => `${day} ${time}`,
    nothingChanged: ({ since }) => `自 ${since} 启动以来，配置没有修改过。`,
    changes: ({ edits }) =>
      `配置的修改，最新的在前：\n\n${edits
        .map(({ at, words, effect }) => `- ${at}：${words}${zhEffects[effect]}`)
        .join('\n')}`,
    changeGroups: '用 `/people` 更改群的设置；配置优先。',
    configChanged: '⚙️ 配置已修改。',
    allowsMore: '放宽了权限：',
    allowsLess: '收紧了权限：',
    doesNotWork: '⚠️ 这些不起作用：',
    mayBeMistake: '⚠️ 这可能有误：',
  },
});

interface EditWords {
  readonly at: string;
  readonly words: string;
  readonly effect: ConfigEdit['effect'];
}

const enEffects = { widens: ' (allows more)', narrows: ' (allows less)', other: '' } as const;
const zhEffects = { widens: '（放宽）', narrows: '（收紧）', other: '' } as const;
