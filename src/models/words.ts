/* Why a model, or a server that hears or speaks, gives no answer: for the person who waits, or for the owners. */

import { catalogue } from '../lib/words.ts';

/** What is known of the model: `modelKey` is its key in the config. */
interface Named {
  readonly modelKey: string;
}

interface Placed extends Named {
  readonly baseUrl: string;
}

/** What its server says, as a piece of text without what looks like a key. */
interface Told extends Named {
  readonly told: string;
  /** Of HTTP. */
  readonly status?: number | undefined;
}

export const modelWords = catalogue({
  en: {
    withAdvice: (words: string, advice: string | undefined) => (advice === undefined ? words : `${words} ${advice}`),
    tryAgain: 'Try again.',
    tryAgainSoon: 'Try again in a moment.',
    tryAgainIn: ({ time }: { readonly time: string }) => `Try again in ${time}.`,
    tryOtherWords: 'Try again, or ask in other words.',
    otherVersion: ({ serverKind }: { readonly serverKind: ServerKind }) =>
      `Another version of that ${serverKinds.en[serverKind]} may help, or another model.`,
    wrongProtocol: ({ modelKey, baseUrl, code }: Placed & { readonly code: string }) =>
      `What answers at ${baseUrl} does not speak as that address says (${code}). Check models.${modelKey}.base_url in the config: http:// or https://, and the port.`,
    nothingListens: ({ modelKey, baseUrl }: Placed) =>
      `Nothing listens at ${baseUrl}, where the model '${modelKey}' should be. Start the model server (Ollama, for example), or correct models.${modelKey}.base_url in the config.`,
    unknownAddress: ({ modelKey, baseUrl }: Placed) =>
      `The address ${baseUrl} of the model '${modelKey}' cannot be found. Check the network, and the address in the config.`,
    noLookup: ({ modelKey, baseUrl }: Placed) =>
      `The address ${baseUrl} of the model '${modelKey}' cannot be looked up now. Check the network.`,
    connectionFailed: ({ modelKey, code }: Named & { readonly code: string }) =>
      `The connection to the model '${modelKey}' failed (${code}). If it stays so, check the network.`,
    unreachable: ({ modelKey, told }: Told) => `The model '${modelKey}' cannot be reached. ${told}`,
    tooLong: ({ modelKey, window, size }: Named & { readonly window?: number; readonly size?: number }) => {
      const takes = window === undefined ? '' : `it takes ${window.toLocaleString('en')} tokens`;
      const both = size === undefined ? takes : `${takes}, and this is ${size.toLocaleString('en')}`;
      return `The conversation is too long for the model '${modelKey}'${window === undefined ? '' : ` (${both})`}. Start a new conversation with /new, or choose a model that takes more.`;
    },
    tooLongFor: ({ label }: { readonly label: string }) => `The conversation is too long for the model ${label}.`,
    noCredit: ({ modelKey }: Named) =>
      `The account of the model '${modelKey}' has no credit left. Add credit in the provider's console, or choose another model.`,
    noTools: ({ modelKey }: Named) =>
      `The model '${modelKey}' cannot call tools where it runs. Set models.${modelKey}.tool_calls to "text" in the config: then it makes its calls in words.`,
    keptOut: ({ modelKey, told }: Told) =>
      `The provider of the model '${modelKey}' does not let this account or place use it (403): ${told}`,
    keyRefused: ({ modelKey }: Named) =>
      `The model's provider refuses the API key of '${modelKey}'. Check models.${modelKey}.api_key in the config, or the variable that it names, then try again.`,
    keyUnsendable: ({ modelKey }: Named) =>
      `The API key of the model '${modelKey}' holds a line break or another character that HTTP cannot carry. Correct models.${modelKey}.api_key in the config, or the variable that it names.`,
    refused: ({ modelKey, told, status }: Told) =>
      `The provider of the model '${modelKey}' refuses the request${inBrackets(status)}: ${told}`,
    noChats: ({ baseUrl, told }: Placed & Told) => `The server at ${baseUrl} has no chats at that address (${told}).`,
    lacksVersion: ({ modelKey, baseUrl }: Placed) =>
      `models.${modelKey}.base_url may lack /v1: write "${baseUrl}/v1" in the config.`,
    checkPath: ({ modelKey }: Named) =>
      `Check models.${modelKey}.base_url in the config: most servers have theirs at /v1.`,
    unknownModel: ({ modelKey, modelName, baseUrl }: Placed & { readonly modelName: string }) =>
      `The model '${modelName}' is not known at ${baseUrl === '' ? 'its provider' : `${baseUrl} (is it installed there?)`}. Check models.${modelKey}.name and models.${modelKey}.base_url in the config.`,
    limited: ({ modelKey }: Named) => `The provider of the model '${modelKey}' takes no more requests from us for now.`,
    stillLoading: ({ modelKey }: Named) => `The server of the model '${modelKey}' is still loading it.`,
    overloaded: ({ modelKey }: Named) => `The provider of the model '${modelKey}' is overloaded.`,
    noAnswer: ({ modelKey, status }: Named & { readonly status?: number | undefined }) =>
      `The provider of the model '${modelKey}' does not answer for now${inBrackets(status)}.`,
    serverFault: ({ modelKey, told, status }: Told) =>
      `The server of the model '${modelKey}' has a fault${inBrackets(status)}: ${/[.!?…。！？]$/.test(told) ? told : `${told}.`}`,
    foreign: ({ baseUrl, modelKey, serverKind, did }: Placed & ForeignServer) =>
      `What answers at ${baseUrl} is no ${serverKinds.en[serverKind]} (it ${foreignDeeds.en(did)}). Check models.${modelKey}.base_url in the config.`,
    endless:
      'The model did not stop writing; its answer was cut off after 1,000,000 characters. Ask for less at a time, or set max_output_tokens for the model in the config.',
    brokeOff: ({ modelKey }: Named) => `The answer of the model '${modelKey}' broke off before it was complete.`,
    endedEmpty: ({ modelKey }: Named) => `The answer of the model '${modelKey}' ended with nothing in it.`,
    answerFailed: ({ modelKey, reason }: Named & { readonly reason: string }) =>
      `The answer of the model '${modelKey}' failed (${reason}).`,
    unreadable: ({ modelKey }: Named) => `The model '${modelKey}' answered with something which cannot be read.`,
    unreadableEvent: ({ modelKey }: Named) =>
      `The model '${modelKey}' answered with an event that is no JSON, which cannot be read.`,
    oddPart: ({ modelKey, path }: Named & { readonly path: string }) =>
      `The model '${modelKey}' answered with an odd \`${path}\`, which cannot be read.`,
    notSent: ({ modelKey, told }: Told) => `The request to the model '${modelKey}' could not be made: ${told}`,
    noReason: 'no reason given',
    silent: ({ modelKey, seconds }: Named & { readonly seconds: number }) =>
      `The model '${modelKey}' has not said anything for ${seconds} seconds. If it only thinks for long, raise models.${modelKey}.timeout_secs in the config.`,
    nothingSaid: 'The model gave an empty answer. Please ask again, or in other words.',
    heldBack: ({ modelKey }: Named) =>
      `The provider of the model '${modelKey}' held the answer back for its content. Say it differently, or start over with /new.`,
    unreadableCall:
      'The model wanted to use a tool, but twice wrote the call in a form that cannot be read. Nothing ran. Please ask again, or choose another model with /model.',
    noneCanAnswer: ({ failure, names }: { readonly failure: string; readonly names: readonly string[] }) =>
      `${failure} (${names.map((name) => `'${name}'`).join(' and ')} cannot answer either.)`,
    lacksTools: ({ modelKey, modelName, server, lack, isAuto }: Lacking) =>
      `The model '${modelKey}' (${modelName}) has no tools: ${lackCauses.en(lack, server ?? 'its server')}. ${
        isAuto
          ? `From now on it writes its calls in text. If that is wrong, set models.${modelKey}.tool_calls to "native".`
          : `models.${modelKey}.tool_calls is "native", so it goes on without tools: set it to "auto" or "text", and it writes its calls in text.`
      }`,
  },
  zh: {
    withAdvice: (words, advice) => (advice === undefined ? words : `${asSentence(words)}${advice}`),
    tryAgain: '再试一次。',
    tryAgainSoon: '稍后再试。',
    tryAgainIn: ({ time }) => `${time}后再试。`,
    tryOtherWords: '再试一次，或换个说法。',
    otherVersion: ({ serverKind }) => `换一个版本的${serverKinds.zh[serverKind]}，或换一个模型，也许有用。`,
    wrongProtocol: ({ modelKey, baseUrl, code }) =>
      `${baseUrl} 上的服务与地址写明的协议不符（${code}）。检查配置中的 models.${modelKey}.base_url：http:// 还是 https://，以及端口。`,
    nothingListens: ({ modelKey, baseUrl }) =>
      `${baseUrl} 上没有服务在监听，模型“${modelKey}”本应在那里。启动模型服务器（例如 Ollama），或改正配置中的 models.${modelKey}.base_url。`,
    unknownAddress: ({ modelKey, baseUrl }) => `找不到模型“${modelKey}”的地址 ${baseUrl}。检查网络，以及配置中的地址。`,
    noLookup: ({ modelKey, baseUrl }) => `现在无法解析模型“${modelKey}”的地址 ${baseUrl}。检查网络。`,
    connectionFailed: ({ modelKey, code }) => `与模型“${modelKey}”的连接失败（${code}）。如果一直如此，检查网络。`,
    unreachable: ({ modelKey, told }) => `无法连接模型“${modelKey}”。${told}`,
    tooLong: ({ modelKey, window, size }) => {
      const takes = window === undefined ? '' : `上限 ${window.toLocaleString('en')} 个 token`;
      const both = size === undefined ? takes : `${takes}，现在有 ${size.toLocaleString('en')} 个`;
      return `对话太长，模型“${modelKey}”放不下${window === undefined ? '' : `（${both}）`}。用 /new 开始新对话，或换一个上限更大的模型。`;
    },
    tooLongFor: ({ label }) => `对话太长，模型 ${label} 放不下。`,
    noCredit: ({ modelKey }) => `模型“${modelKey}”的账户余额不足。在服务商的控制台充值，或换一个模型。`,
    noTools: ({ modelKey }) =>
      `模型“${modelKey}”的服务器不支持工具调用。在配置中把 models.${modelKey}.tool_calls 设为 "text"，它就会用文字写出调用。`,
    keptOut: ({ modelKey, told }) => `模型“${modelKey}”的服务商不允许这个账户或这个地区使用它（403）：${told}`,
    keyRefused: ({ modelKey }) =>
      `模型服务商拒绝了“${modelKey}”的 API 密钥。检查配置中的 models.${modelKey}.api_key，或它引用的变量，然后再试。`,
    keyUnsendable: ({ modelKey }) =>
      `模型“${modelKey}”的 API 密钥里有换行或其他 HTTP 无法传送的字符。改正配置中的 models.${modelKey}.api_key，或它引用的变量。`,
    refused: ({ modelKey, told, status }) => `模型“${modelKey}”的服务商拒绝了请求${inFullBrackets(status)}：${told}`,
    noChats: ({ baseUrl, told }) => `${baseUrl} 上的服务器在这个地址没有聊天接口（${told}）。`,
    lacksVersion: ({ modelKey, baseUrl }) => `models.${modelKey}.base_url 可能少了 /v1：在配置中写 "${baseUrl}/v1"。`,
    checkPath: ({ modelKey }) => `检查配置中的 models.${modelKey}.base_url：大多数服务器的接口在 /v1。`,
    unknownModel: ({ modelKey, modelName, baseUrl }) =>
      `${baseUrl === '' ? '服务商那里' : `${baseUrl} 上`}没有模型“${modelName}”${baseUrl === '' ? '' : '（安装了吗？）'}。检查配置中的 models.${modelKey}.name 和 models.${modelKey}.base_url。`,
    limited: ({ modelKey }) => `模型“${modelKey}”的服务商暂时不再接受我们的请求。`,
    stillLoading: ({ modelKey }) => `服务器还在加载模型“${modelKey}”。`,
    overloaded: ({ modelKey }) => `模型“${modelKey}”的服务商过载了。`,
    noAnswer: ({ modelKey, status }) => `模型“${modelKey}”的服务商暂时没有应答${inFullBrackets(status)}。`,
    serverFault: ({ modelKey, told, status }) => `模型“${modelKey}”的服务器出错了${inFullBrackets(status)}：${told}`,
    foreign: ({ baseUrl, modelKey, serverKind, did }) =>
      `${baseUrl} 上的服务不是${serverKinds.zh[serverKind]}（${foreignDeeds.zh(did)}）。检查配置中的 models.${modelKey}.base_url。`,
    endless:
      '模型一直写个不停，回答在 1,000,000 个字符后被截断。一次少问一些，或在配置中为该模型设置 max_output_tokens。',
    brokeOff: ({ modelKey }) => `模型“${modelKey}”的回答还没写完就中断了。`,
    endedEmpty: ({ modelKey }) => `模型“${modelKey}”的回答是空的。`,
    answerFailed: ({ modelKey, reason }) => `模型“${modelKey}”的回答失败了（${reason}）。`,
    unreadable: ({ modelKey }) => `模型“${modelKey}”的回答里有无法读取的内容。`,
    unreadableEvent: ({ modelKey }) => `模型“${modelKey}”的回答里有一个不是 JSON 的事件，无法读取。`,
    oddPart: ({ modelKey, path }) => `模型“${modelKey}”的回答里 \`${path}\` 不正常，无法读取。`,
    notSent: ({ modelKey, told }) => `无法向模型“${modelKey}”发出请求：${told}`,
    noReason: '没有说明原因',
    silent: ({ modelKey, seconds }) =>
      `模型“${modelKey}”已有 ${seconds} 秒没有任何输出。如果它只是思考得久，在配置中调大 models.${modelKey}.timeout_secs。`,
    nothingSaid: '模型给出了空回答。再问一次，或换个说法。',
    heldBack: ({ modelKey }) => `模型“${modelKey}”的服务商因内容问题拦下了回答。换个说法，或用 /new 重新开始。`,
    unreadableCall: '模型想使用工具，但两次写出的调用都无法读取。什么都没有执行。再问一次，或用 /model 换一个模型。',
    noneCanAnswer: ({ failure, names }) => `${failure}（${names.map((name) => `“${name}”`).join('、')}也无法回答。）`,
    lacksTools: ({ modelKey, modelName, server, lack, isAuto }) =>
      `模型“${modelKey}”（${modelName}）没有工具可用：${lackCauses.zh(lack, server === undefined ? '它的服务器' : `${server} `)}。${
        isAuto
          ? `从现在起它用文字写出调用。如果判断有误，把 models.${modelKey}.tool_calls 设为 "native"。`
          : `models.${modelKey}.tool_calls 是 "native"，所以它仍然没有工具可用：设为 "auto" 或 "text"，它就会用文字写出调用。`
      }`,
  },
});

/** A server that transcribes or speaks, by its block of the config. */
export type AudioServerKind = 'transcription' | 'speech';

interface AudioServer {
  readonly server: AudioServerKind;
}

/** Why a recording was not transcribed, or an answer not spoken: clauses without a full stop. */
export const audioWords = catalogue({
  en: {
    keyRefused: ({ server }: AudioServer) =>
      `the ${server} server refuses the key: the owner has to check ${server}.api_key`,
    unknownModel: ({ server, name }: AudioServer & { readonly name: string }) =>
      `the ${server} server does not know the model ${name}: the owner has to check ${server}.name and ${server}.base_url`,
    tooLarge: ({ server }: AudioServer) =>
      ({
        transcription: 'it is too long for the transcription server',
        speech: 'the answer is too long for the speech server',
      })[server],
    limited: ({ server }: AudioServer) => `the ${server} server takes no more requests for now`,
    fault: ({ server, status }: AudioServer & { readonly status: number }) =>
      `the ${server} server has a fault (${status})`,
    refused: ({ server, status, told }: AudioServer & { readonly status: number; readonly told: string }) =>
      `the ${server} server refuses it (${status}${told === '' ? '' : `: ${told}`})`,
    unreachable: ({ server, fault }: AudioServer & { readonly fault: string | undefined }) =>
      `the ${server} server cannot be reached${fault === undefined ? '' : `. ${fault}`}`,
    late: ({ server, seconds }: AudioServer & { readonly seconds: number }) =>
      ({
        transcription: `the transcription took longer than ${seconds} s`,
        speech: `speaking took longer than ${seconds} s`,
      })[server],
    foreign: ({ server }: AudioServer) => `what answers at ${server}.base_url is no ${server} server`,
    nothingHeard: 'nothing in it could be understood',
    endless: 'its recording has no end',
  },
  zh: {
    keyRefused: ({ server }) => `${audioServers[server]}拒绝了密钥：所有者需要检查 ${server}.api_key`,
    unknownModel: ({ server, name }) =>
      `${audioServers[server]}没有模型 ${name}：所有者需要检查 ${server}.name 和 ${server}.base_url`,
    tooLarge: ({ server }) =>
      ({ transcription: '太长，转写服务器不接受', speech: '回答太长，语音服务器不接受' })[server],
    limited: ({ server }) => `${audioServers[server]}暂时不再接受请求`,
    fault: ({ server, status }) => `${audioServers[server]}出错了（${status}）`,
    refused: ({ server, status, told }) =>
      `${audioServers[server]}拒绝了（${status}${told === '' ? '' : `：${told}`}）`,
    unreachable: ({ server, fault }) => `无法连接${audioServers[server]}${fault === undefined ? '' : `。${fault}`}`,
    late: ({ server, seconds }) =>
      ({ transcription: `转写超过了 ${seconds} 秒`, speech: `合成语音超过了 ${seconds} 秒` })[server],
    foreign: ({ server }) => `${server}.base_url 上的服务不是${audioServers[server]}`,
    nothingHeard: '听不清内容',
    endless: '录音没完没了',
  },
});

const audioServers: Readonly<Record<AudioServerKind, string>> = { transcription: '转写服务器', speech: '语音服务器' };

export type ServerKind = 'anthropic' | 'openai' | 'gemini' | 'compatible';

const serverKinds = {
  en: {
    anthropic: 'server of the Anthropic API',
    openai: 'server of the OpenAI API',
    gemini: 'server of the Gemini API',
    compatible: 'OpenAI-compatible server',
  },
  zh: {
    anthropic: ' Anthropic API 服务器',
    openai: ' OpenAI API 服务器',
    gemini: ' Gemini API 服务器',
    compatible: '兼容 OpenAI 的服务器',
  },
} as const;

/** What showed that another server answers: `kind` is a content type, `target` an address. */
export type ForeignDeed =
  | { readonly type: 'no-events' }
  | { readonly type: 'sent'; readonly kind: string }
  | { readonly type: 'redirects'; readonly target: string | undefined };

interface ForeignServer {
  readonly serverKind: ServerKind;
  readonly did: ForeignDeed;
}

const foreignDeeds = {
  en(did: ForeignDeed): string {
    switch (did.type) {
      case 'no-events':
        return 'sent no events';
      case 'sent':
        return `sent ${did.kind}`;
      case 'redirects':
        return `redirects to ${did.target ?? 'another place'}`;
    }
  },
  zh(did: ForeignDeed): string {
    switch (did.type) {
      case 'no-events':
        return '没有发送事件';
      case 'sent':
        return `发送了 ${did.kind}`;
      case 'redirects':
        return did.target === undefined ? '重定向到别处' : `重定向到 ${did.target}`;
    }
  },
} as const;

/** Why a model gets no tools: `counted` and `sent` are tokens. */
export type ToolLack =
  | { readonly from: 'server' | 'refusal' }
  | { readonly from: 'usage'; readonly ignored: { readonly counted: number; readonly sent: number } };

interface Lacking extends Named {
  readonly modelName: string;
  readonly server: string | undefined;
  readonly lack: ToolLack;
  /** Whether the calls go in text from now on. */
  readonly isAuto: boolean;
}

const lackCauses = {
  en(lack: ToolLack, server: string): string {
    switch (lack.from) {
      case 'server':
        return `${server} says that this model cannot call any`;
      case 'refusal':
        return `${server} refuses a request that offers some`;
      case 'usage':
        return `${server} takes them and does not show them to the model, for it counted ${lack.ignored.counted} tokens in a request of about ${lack.ignored.sent}`;
    }
  },
  zh(lack: ToolLack, server: string): string {
    switch (lack.from) {
      case 'server':
        return `${server}说这个模型不能调用工具`;
      case 'refusal':
        return `${server}拒绝带有工具的请求`;
      case 'usage':
        return `${server}收下工具却不给模型看：请求约有 ${lack.ignored.sent} 个 token，它只算出 ${lack.ignored.counted} 个`;
    }
  },
} as const;

function inBrackets(status: number | undefined): string {
  return status === undefined ? '' : ` (${status})`;
}

/** Another sentence may follow: what a server says ends with a full stop of its own, or with none. */
function asSentence(words: string): string {
  if (/[。！？）]$/.test(words)) return words;
  return /[.!?]$/.test(words) ? `${words} ` : `${words}。`;
}

function inFullBrackets(status: number | undefined): string {
  return status === undefined ? '' : `（${status}）`;
}
