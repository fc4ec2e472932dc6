import { catalogue } from '../../../lib/words.ts';
import { labelOf } from '../../../words/command-buttons.ts';

/** The answers of `/model`, `/context` and `/compact`. Names of models are given in markdown. */
export const modelWords = catalogue({
  en: {
    answersHere: ({ model }: { readonly model: string }) => `From now on ${model} answers here.`,
    list: ({ models, isOnly }: ModelList) =>
      ['**Models**', ...models, ...(isOnly ? ['', 'The config has no other.'] : [])].join('\n'),
    buttonModel: ({ name, isUsed }: { readonly name: string; readonly isUsed: boolean }) =>
      labelOf(`${isUsed ? '✅ ' : ''}${name}`),
    buttonDefault: 'Back to the default',
    usedHere: '**used here**',
    chosenHere: '**used here**, chosen by `/model`',
    setForChat: ({ key }: { readonly key: string }) => `set for this chat by ${key}`,
    default: 'default',
    modelLine: ({ model, marks }: { readonly model: string; readonly marks: readonly string[] }) =>
      marks.length === 0 ? `- ${model}` : `- ${model}: ${marks.join(', ')}`,
    noSuchModel: ({ name, names, meant }: NoSuchModel) =>
      `There is no model ${name}. ${meant === undefined ? `There are: ${names.join(', ')}.` : `Do you mean ${meant}?`}`,
    abilities: ({ known }: { readonly known: readonly string[] }) => known.join('; '),
    window: ({ window, from, server = 'its server' }: WindowWords) => {
      const sources = {
        config: 'the config',
        server,
        default: `usual for ${server}, until it has loaded the model`,
        refusal: 'as a refusal said',
        usage: 'as its counts show',
      };
      return `window ${window.toLocaleString('en')} tokens (${sources[from]})`;
    },
    toolCalls: ({ tools, from, server = 'its server' }: ToolsWords) => {
      const sources = {
        config: 'the config',
        server,
        refusal: `${server} refuses others`,
        usage: `${server} ignores others`,
      };
      return `${tools ? 'native tool calls' : 'tool calls in text'} (${sources[from]})`;
    },
    images: ({ images, from, server = 'its server' }: ImagesWords) =>
      `${images ? 'sees pictures' : 'sees no pictures'} (${from === 'config' ? 'the config' : server})`,
    nothingSaid: 'Nothing was said here yet.',
    summarising: '🗜️ I summarise what was said here until now. I will tell you when it is done.',
    used: ({ used, limit, percent, model }: Used) =>
      `**Context**: about ${used} of ${limit} tokens (${percent} %) for ${model}.`,
    tooNarrow: ({ isAlone }: { readonly isAlone: boolean }) =>
      `⚠️ ${isAlone ? 'The instructions alone do' : 'The instructions and tools alone do'} not fit into that. Give the model a larger window in its server (\`num_ctx\`, \`-c\`, context length), and raise \`agent.context_tokens\` if that is smaller.`,
    instructions: ({ isShort, chat }: Instructions) =>
      `${isShort ? 'Instructions, in short' : 'Instructions'}${chat === undefined ? '' : `, with those of ${chat}`}`,
    pinnedFacts: ({ leftOut }: { readonly leftOut: number }) =>
      leftOut === 0 ? 'Pinned facts' : `Pinned facts, without the oldest ${leftOut}, for which there is no room`,
    toolsWhole: 'Tools',
    toolsShort: 'Tools, told in short',
    toolsFew: ({ told, count }: { readonly told: number; readonly count: number }) =>
      `Tools, ${told} of ${count} told in short`,
    summary: 'Summary of the oldest part',
    messages: 'Messages and results',
    contextLine: ({ what, tokens }: { readonly what: string; readonly tokens: number }) => `- ${what}: ${tokens}`,
    toolsCompact: ({ wholeSize, canFind }: { readonly wholeSize: number; readonly canFind: boolean }) =>
      `All tools in full would be about ${wholeSize} tokens.${canFind ? ' The model looks up the rest with `find_tools`.' : ''} The setting \`tools.compact\` decides it.`,
    roomWords: 'What no longer fits is shortened, then summarised. `/compact` does it now; `/new` starts over.',
  },
  zh: {
    answersHere: ({ model }) => `从现在起，这里由 ${model} 回答。`,
    list: ({ models, isOnly }) => ['**模型**', ...models, ...(isOnly ? ['', '配置中没有其他模型。'] : [])].join('\n'),
    buttonModel: ({ name, isUsed }) => labelOf(`${isUsed ? '✅ ' : ''}${name}`),
    buttonDefault: '恢复默认',
    usedHere: '**当前使用**',
    chosenHere: '**当前使用**，由 `/model` 选择',
    setForChat: ({ key }) => `由 ${key} 为这个聊天设置`,
    default: '默认',
    modelLine: ({ model, marks }) => (marks.length === 0 ? `- ${model}` : `- ${model}：${marks.join('，')}`),
    noSuchModel: ({ name, names, meant }) =>
      `没有名为 ${name} 的模型。${meant === undefined ? `可用的有：${names.join('、')}。` : `你是指 ${meant} 吗？`}`,
    abilities: ({ known }) => known.join('；'),
    window: ({ window, from, server }) => {
      const sources = {
        config: '来自配置',
        server: fromServer(server),
        default: `${serverWhich(server)}的常用值，加载模型后更新`,
        refusal: '来自服务器拒绝时的说明',
        usage: '由用量推知',
      };
      return `上下文窗口 ${window.toLocaleString('en')} 个 token（${sources[from]}）`;
    },
    toolCalls: ({ tools, from, server }) => {
      const sources = {
        config: '来自配置',
        server: fromServer(server),
        refusal: `${serverWhich(server)}拒绝其他方式`,
        usage: `${serverWhich(server)}忽略其他方式`,
      };
      return `${tools ? '原生工具调用' : '以文本调用工具'}（${sources[from]}）`;
    },
    images: ({ images, from, server }) =>
      `${images ? '能看图片' : '不能看图片'}（${from === 'config' ? '来自配置' : fromServer(server)}）`,
    nothingSaid: '这里还没有消息。',
    summarising: '🗜️ 正在把到目前为止的内容总结成摘要，完成后会告诉你。',
    used: ({ used, limit, percent, model }) =>
      `**上下文**：${model} 已用约 ${used} 个 token，上限 ${limit}（${percent}%）。`,
    tooNarrow: ({ isAlone }) =>
      `⚠️ 仅${isAlone ? '指令' : '指令和工具'}就已放不下。在模型的服务器上调大窗口（\`num_ctx\`、\`-c\`、context length）；如果 \`agent.context_tokens\` 更小，也把它调大。`,
    instructions: ({ isShort, chat }) =>
      `${isShort ? '指令（简短版）' : '指令'}${chat === undefined ? '' : `，包括 ${chat} 中的指令`}`,
    pinnedFacts: ({ leftOut }) => (leftOut === 0 ? '置顶的内容' : `置顶的内容（空间不足，未包括最早的 ${leftOut} 条）`),
    toolsWhole: '工具',
    toolsShort: '工具（简短说明）',
    toolsFew: ({ told, count }) => `工具（共 ${count} 个，其中 ${told} 个简短说明）`,
    summary: '最早部分的摘要',
    messages: '消息和结果',
    contextLine: ({ what, tokens }) => `- ${what}：${tokens}`,
    toolsCompact: ({ wholeSize, canFind }) =>
      `全部工具的完整说明约需 ${wholeSize} 个 token。${canFind ? '模型会用 `find_tools` 查找其余的。' : ''}由设置 \`tools.compact\` 决定。`,
    roomWords: '放不下的内容会先缩短，再总结成摘要。`/compact` 立即总结；`/new` 重新开始。',
  },
});

function fromServer(server: string | undefined): string {
  return server === undefined ? '来自它的服务器' : `来自 ${server}`;
}

/** Chinese words follow. */
function serverWhich(server: string | undefined): string {
  return server === undefined ? '它的服务器' : `${server} `;
}

interface ModelList {
  /** A line for each. */
  readonly models: readonly string[];
  readonly isOnly: boolean;
}

interface NoSuchModel {
  readonly name: string;
  readonly names: readonly string[];
  readonly meant: string | undefined;
}

/** What is known of a model, and where from. */
interface WindowWords {
  readonly window: number;
  readonly from: 'config' | 'server' | 'default' | 'refusal' | 'usage';
  readonly server: string | undefined;
}

interface ToolsWords {
  readonly tools: boolean;
  readonly from: 'config' | 'server' | 'refusal' | 'usage';
  readonly server: string | undefined;
}

interface ImagesWords {
  readonly images: boolean;
  readonly from: 'config' | 'server';
  readonly server: string | undefined;
}

interface Used {
  readonly used: number;
  readonly limit: number;
  readonly percent: number;
  readonly model: string;
}

interface Instructions {
  readonly isShort: boolean;
  /** The key of the config that has more of them, for this chat. */
  readonly chat: string | undefined;
}
