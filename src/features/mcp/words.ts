import { catalogue } from '../../lib/words.ts';

/** `/mcp`, and its entry in the menu. */
export const mcpCommandWords = catalogue({
  en: {
    menu: {
      mcp: {
        description: 'Show the MCP servers, and which of their tools are left out',
        argument: '',
        help: '`/mcp`: the MCP servers, and which of their tools are left out',
      },
    },
    noServers: 'The config has no MCP servers: `mcp_servers` is where they stand.',
  },
  zh: {
    menu: {
      mcp: {
        description: '查看 MCP 服务器，以及未采用的工具',
        argument: '',
        help: '`/mcp`：MCP 服务器，以及未采用的工具',
      },
    },
    noServers: '配置中没有 MCP 服务器：可以在 `mcp_servers` 中添加。',
  },
});

/** MCP servers and their tools, for people. What begins with "it" is half a sentence about a server. */
export const mcpWords = catalogue({
  en: {
    /** As code. */
    toolOf: ({ tool, server }: ToolOf) => `${tool} of ${server}`,
    guessed: 'It counts as writing to the network, since nothing says what this program touches.',
    progress: ({ progress, total, message }: Progressed) => {
      const how = total === undefined ? `${progress}` : `${progress} of ${total}`;
      return message === '' ? how : `${message} (${how})`;
    },
    server: ({ name, host, state }: Server) =>
      `${name} (${host === undefined ? 'a program here' : `at ${host}`}): ${state}`,
    notConnected: 'not connected',
    counted: ({ count, waiting }: Counted) =>
      `${count === 1 ? '1 tool' : `${count} tools`}${waiting > 0 ? `; ${waiting} more wait for trust, see /trust` : ''}`,
    isDown: ({ name, why }: { readonly name: string; readonly why: string }) =>
      `The MCP server ${name} is not connected: ${why}. It is tried again.`,
    leftOut: ({ server, tools, more }: LeftOutOf) => {
      const count = tools.length + more;
      const named = tools.map(({ tool, why }) => `"${tool}" (${why})`).join(', ');
      return `${count === 1 ? 'One tool' : `${count} tools`} of the MCP server ${server} ${count === 1 ? 'is' : 'are'} left out: ${named}${more > 0 ? `, and ${more} more` : ''}.`;
    },
    /** For the owner who decides. As code. */
    about: ({ tool, server, category, description, parameters }: About) =>
      [
        `The tool ${tool} of the MCP server ${server}, category ${category}.`,
        `It says of itself: ${description}`,
        `Its arguments: ${parameters}`,
      ].join('\n'),
    saysNothing: '(nothing)',
    nameTaken: 'another tool has its name',
    badName: ({ most }: Most) => `its name is empty, longer than ${most} characters, or not to be read`,
    taskOnly: 'it can only be called as a task',
    badSchema: 'its schema is no JSON, or nested too deeply',
    largeSchema: ({ kilobytes }: { readonly kilobytes: number }) => `its schema is larger than ${kilobytes} KB`,
    offProtocol: 'its definition does not keep to the protocol',
    noObject: 'its definition is no object',
    noSchema: 'its schema is no JSON Schema',
    noArguments: ({ types }: { readonly types: readonly string[] }) =>
      `its schema describes ${types.join(' or ')} in place of named arguments`,
    closed: 'the connection was closed',
    closedForFlood: ({ seconds }: Seconds) =>
      `the connection was closed because it wrote more than can be read, for ${seconds} s`,
    unheard: 'it cannot be heard any more',
    unknownSession: 'it does not know our session any more',
    noAnswer: ({ seconds }: Seconds) => `it did not answer within ${seconds} s`,
    noList: ({ seconds }: Seconds) => `it did not list its tools within ${seconds} s`,
    silent: 'it does not answer any more',
    calledOff: 'it was called off',
    closedHere: 'it was closed',
    stopping: 'Keyturn is being stopped',
    noReason: 'it failed without a reason',
    theServer: 'the server',
    status: ({ status }: { readonly status: number }) =>
      `it answered with HTTP ${status}${status === 401 || status === 403 ? ': check its headers in the config' : ''}`,
    noSandbox: ({ reason }: { readonly reason: string }) =>
      `the config wants it in the sandbox, and there is none: ${reason}`,
    noStart: ({ folder, code }: { readonly folder: string; readonly code: string | undefined }) =>
      `it could not be started in the folder ${folder}: ${code ?? 'an unknown reason'}`,
    /** A line of `config check` about the tools of these places. */
    note: ({ places, words }: { readonly places: readonly string[]; readonly words: string }) =>
      `${places.join('; ')}: ${words}.`,
    placeOfTools: ({ server, pattern }: { readonly server: string; readonly pattern: string | undefined }) =>
      `mcp_servers.${server}${pattern === undefined ? '' : `, ${pattern}`}`,
    toolsAre: ({ category, isWhole, settings }: ToolsAre) =>
      `${isWhole ? 'its tools are ' : ''}${enCategory(category)}; ${enSettings(settings)}`,
    off: 'off',
  },
  zh: {
    toolOf: ({ tool, server }) => `${server} 的 ${tool}`,
    guessed: '这个程序会碰到什么没有说明，因此按写入网络对待。',
    progress: ({ progress, total, message }) => {
      const how = total === undefined ? `${progress}` : `${progress}/${total}`;
      return message === '' ? how : `${message}（${how}）`;
    },
    server: ({ name, host, state }) => `${name}（${host === undefined ? '本机程序' : `位于 ${host}`}）：${state}`,
    notConnected: '未连接',
    counted: ({ count, waiting }) =>
      `${count} 个工具${waiting > 0 ? `；另有 ${waiting} 个等待信任，用 /trust 查看` : ''}`,
    isDown: ({ name, why }) => `MCP 服务器 ${name} 未连接：${why}。会自动重试。`,
    leftOut: ({ server, tools, more }) => {
      const named = tools.map(({ tool, why }) => `"${tool}"（${why}）`).join('、');
      return `MCP 服务器 ${server} 有 ${tools.length + more} 个工具未采用：${named}${more > 0 ? `，以及另外 ${more} 个` : ''}。`;
    },
    about: ({ tool, server, category, description, parameters }) =>
      [
        `MCP 服务器 ${server} 的工具 ${tool}，类别 ${category}。`,
        `它的自述：${description}`,
        `参数：${parameters}`,
      ].join('\n'),
    saysNothing: '（无）',
    nameTaken: '已有同名工具',
    badName: ({ most }) => `名称为空、超过 ${most} 个字符，或无法阅读`,
    taskOnly: '只能作为任务调用',
    badSchema: 'schema 不是 JSON，或嵌套过深',
    largeSchema: ({ kilobytes }) => `schema 超过 ${kilobytes} KB`,
    offProtocol: '定义不符合协议',
    noObject: '定义不是对象',
    noSchema: 'schema 不是 JSON Schema',
    noArguments: ({ types }) => `schema 描述的是 ${types.join(' 或 ')}，而不是具名参数`,
    closed: '连接已关闭',
    closedForFlood: ({ seconds }) => `它的输出过多，连续 ${seconds} 秒来不及读取，连接已关闭`,
    unheard: '已无法收到它的消息',
    unknownSession: '它已不认识当前会话',
    noAnswer: ({ seconds }) => `${seconds} 秒内没有回应`,
    noList: ({ seconds }) => `${seconds} 秒内没有列出工具`,
    silent: '它不再回应',
    calledOff: '已取消',
    closedHere: '连接已关闭',
    stopping: 'Keyturn 正在停止',
    noReason: '失败了，没有给出原因',
    theServer: '服务器',
    status: ({ status }) =>
      `它的回应是 HTTP ${status}${status === 401 || status === 403 ? '：检查配置中的 headers' : ''}`,
    noSandbox: ({ reason }) => `配置要求它在沙箱中运行，但没有沙箱：${reason}`,
    noStart: ({ folder, code }) => `无法在文件夹 ${folder} 中启动：${code ?? '原因不明'}`,
    note: ({ places, words }) => `${places.join('；')}：${words}。`,
    placeOfTools: ({ server, pattern }) => `mcp_servers.${server}${pattern === undefined ? '' : `，${pattern}`}`,
    toolsAre: ({ category, isWhole, settings }) =>
      `${isWhole ? '它的工具属于 ' : ''}${zhCategory(category)}；${zhSettings(settings)}`,
    off: '已关闭',
  },
});

function enCategory({ category, fromHints, isOwn }: Categorized): string {
  if (isOwn) return category;
  return `${category}${fromHints ? ', or network_read where they say that they only read' : ''}, or destructive where they say so`;
}

function zhCategory({ category, fromHints, isOwn }: Categorized): string {
  if (isOwn) return category;
  return `${category}${fromHints ? '，声明只读时属于 network_read' : ''}，声明有破坏性时属于 destructive`;
}

function enSettings({ isPrivate, outbound, trusted, targets, ownWords, freeText }: ToolSettings): string {
  return [
    `private: ${isPrivate ?? 'by category'}, outbound: ${outbound}, trusted: ${trusted}`,
    `targets: ${targets === undefined ? 'by the names of their parameters' : targets.join(', ') || 'none'}`,
    ...(ownWords === undefined ? [] : [`own_words: ${ownWords}`]),
    ...(freeText === undefined ? [] : [`free_text: ${freeText.join(', ') || 'none'}`]),
  ].join(', ');
}

function zhSettings({ isPrivate, outbound, trusted, targets, ownWords, freeText }: ToolSettings): string {
  return [
    `private：${isPrivate ?? '按类别'}，outbound：${outbound}，trusted：${trusted}`,
    `targets：${targets === undefined ? '按参数名称' : targets.join('、') || '无'}`,
    ...(ownWords === undefined ? [] : [`own_words：${ownWords}`]),
    ...(freeText === undefined ? [] : [`free_text：${freeText.join('、') || '无'}`]),
  ].join('，');
}

/** As code. */
interface ToolOf {
  readonly tool: string;
  readonly server: string;
}

interface Progressed {
  readonly progress: number;
  readonly total: number | undefined;
  readonly message: string;
}

interface Server {
  readonly name: string;
  /** Undefined: a program of this machine. */
  readonly host: string | undefined;
  readonly state: string;
}

interface Counted {
  readonly count: number;
  readonly waiting: number;
}

interface LeftOutOf {
  readonly server: string;
  readonly tools: readonly { readonly tool: string; readonly why: string }[];
  readonly more: number;
}

interface About {
  readonly tool: string;
  readonly server: string;
  readonly category: string;
  readonly description: string;
  readonly parameters: string;
}

interface Most {
  readonly most: number;
}

interface Seconds {
  readonly seconds: number;
}

interface Categorized {
  readonly category: string;
  /** What they say of reading is believed. */
  readonly fromHints: boolean;
  /** It is the setting of this tool alone. */
  readonly isOwn: boolean;
}

interface ToolSettings {
  readonly isPrivate: boolean | undefined;
  readonly outbound: boolean;
  readonly trusted: boolean | 'names';
  readonly targets: readonly string[] | undefined;
  readonly ownWords: boolean | undefined;
  readonly freeText: readonly string[] | undefined;
}

interface ToolsAre {
  readonly category: Categorized;
  readonly isWhole: boolean;
  readonly settings: ToolSettings;
}

/** Forms of MCP servers: people fill them in, field by field. */
export const formWords = catalogue({
  en: {
    /** `server`: as code. `message`: as markdown. */
    head: ({ server, message }: { readonly server: string; readonly message: string }) =>
      `The MCP server ${server} asks you for something, and gets what you answer: no passwords.\n\n> ${message}`,
    further: ({ server }: { readonly server: string }) => `The MCP server ${server} asks further.`,
    field: ({ head, label, index, count }: Field) =>
      `${head}\n\n**${count === 1 ? '' : `${index} of ${count}: `}${label}**`,
    buttonAccept: 'Accept',
    buttonDecline: '✋ Decline',
    buttonSkip: '⏭️ Skip this',
    keep: ({ values }: { readonly values: readonly string[] }) => `↩️ Keep: ${values.join(', ')}`,
    yes: 'Yes',
    no: 'No',
    titled: ({ title, value }: { readonly title: string; readonly value: string }) => `${title} (${value})`,
    wanted: ({ hint }: Hint) => `Wanted is ${hint}.`,
    objection: ({ why }: { readonly why: string }) => `⚠️ ${why}`,
    number: ({ isWhole, least, most }: Bounds & { readonly isWhole: boolean }) =>
      `${isWhole ? 'a whole number' : 'a number'}${enBounds({ least, most })}`,
    several: ({ least, most, count }: Bounds & { readonly count: number }) =>
      `several of them, with commas between them${enCount(least, most, count)}`,
    email: 'an e-mail address',
    uri: 'a complete URL',
    date: 'a date as 2026-03-31',
    dateTime: 'a date and time as 2026-03-31T09:00:00Z',
    writeNumber: ({ hint }: Hint) => `Write ${hint}, in digits.`,
    write: ({ hint }: Hint) => `Write ${hint}.`,
    tooShort: ({ least }: { readonly least: number }) => `Write at least ${least} characters.`,
    tooLong: ({ most, length }: { readonly most: number; readonly length: number }) =>
      `Write at most ${most} characters: these are ${length}.`,
    otherForm: 'The server wants it in another form.',
    noChoice: 'That is none of the choices.',
    someNoChoice: 'One of these is none of the choices.',
    tooFew: ({ least }: { readonly least: number }) => `Choose at least ${least}.`,
    tooMany: ({ most }: { readonly most: number }) => `Choose at most ${most}.`,
  },
  zh: {
    head: ({ server, message }) =>
      `MCP 服务器 ${server} 向你询问信息，你的回答会发给它：不要填写密码。\n\n> ${message}`,
    further: ({ server }) => `MCP 服务器 ${server} 继续询问。`,
    field: ({ head, label, index, count }) => `${head}\n\n**${count === 1 ? '' : `${index}/${count}：`}${label}**`,
    buttonAccept: '接受',
    buttonDecline: '✋ 拒绝',
    buttonSkip: '⏭️ 跳过',
    keep: ({ values }) => `↩️ 保留：${values.join('、')}`,
    yes: '是',
    no: '否',
    titled: ({ title, value }) => `${title}（${value}）`,
    wanted: ({ hint }) => `需要${hint}。`,
    objection: ({ why }) => `⚠️ ${why}`,
    number: ({ isWhole, least, most }) => `${isWhole ? '整数' : '数字'}${zhBounds({ least, most })}`,
    several: ({ least, most, count }) => `其中的若干项，用逗号分隔${zhCount(least, most, count)}`,
    email: '邮箱地址',
    uri: '完整的 URL',
    date: '日期，例如 2026-03-31',
    dateTime: '日期和时间，例如 2026-03-31T09:00:00Z',
    writeNumber: ({ hint }) => `用数字写${hint}。`,
    write: ({ hint }) => `写${hint}。`,
    tooShort: ({ least }) => `至少写 ${least} 个字符。`,
    tooLong: ({ most, length }) => `最多写 ${most} 个字符，现在有 ${length} 个。`,
    otherForm: '服务器要求其他格式。',
    noChoice: '选项中没有这一项。',
    someNoChoice: '其中有一项不在选项中。',
    tooFew: ({ least }) => `至少选 ${least} 项。`,
    tooMany: ({ most }) => `最多选 ${most} 项。`,
  },
});

interface Hint {
  readonly hint: string;
}

/** From 1. */
interface Field {
  readonly head: string;
  readonly label: string;
  readonly index: number;
  readonly count: number;
}

/** Infinite if there is no bound. */
interface Bounds {
  readonly least: number;
  readonly most: number;
}

function enBounds({ least, most }: Bounds): string {
  if (Number.isFinite(least)) return Number.isFinite(most) ? ` from ${least} to ${most}` : ` from ${least} on`;
  return Number.isFinite(most) ? ` up to ${most}` : '';
}

function zhBounds({ least, most }: Bounds): string {
  if (Number.isFinite(least)) return Number.isFinite(most) ? `，从 ${least} 到 ${most}` : `，不小于 ${least}`;
  return Number.isFinite(most) ? `，不大于 ${most}` : '';
}

function enCount(least: number, most: number, all: number): string {
  if (least > 0) return most < all ? `: ${least} to ${most}` : `: at least ${least}`;
  return most < all ? `: at most ${most}` : '';
}

function zhCount(least: number, most: number, all: number): string {
  if (least > 0) return most < all ? `：${least} 到 ${most} 项` : `：至少 ${least} 项`;
  return most < all ? `：最多 ${most} 项` : '';
}
