import { ownCommand } from '../../../lib/own-command.ts';
import { catalogue } from '../../../lib/words.ts';

/** What `keyturn doctor` says of the servers of models, besides whether they answer. */
export const serverWords = catalogue({
  en: {
    pathTooLong: {
      what: ({ name, address }: PathFault) => `base_url of the model ${name} is the address of one request: ${address}`,
      why: () => 'Keyturn puts the path of the request behind it, so each request goes to a place that is not there.',
      mend: ({ name, right }: PathFault) => `"base_url": "${right}" under models.${name} in the config.`,
    },
    pathTooShort: {
      what: ({ name, address }: PathFault) => `base_url of the model ${name} lacks the version: ${address}`,
      why: () => 'The server has its API behind it, and answers 404 to each request.',
      mend: ({ name, right }: PathFault) => `"base_url": "${right}" under models.${name} in the config.`,
    },
    needsKey: {
      what: ({ name, status }: AskedModel) => `The server of the model ${name} wants a key (${status}), and has none.`,
      why: () => 'It answers nothing.',
      mend: ({ name }: AskedModel) =>
        `Put the key into .env as NAME=…, and "api_key": "\${NAME}" under models.${name}.`,
    },
    noCredit: {
      what: ({ name }: AskedModel) => `The account of the model ${name} has no credit left (402).`,
      why: () => 'Its provider refuses each request until it is paid.',
      mend: () => 'Add credit at the provider, or name another model in "model"; "fallback" names one for such a time.',
    },
    tooMany: {
      what: ({ name }: AskedModel) => `The server of the model ${name} takes no more requests for now (429).`,
      why: () => 'Answers wait until it does again.',
      mend: () => 'Wait, or look at the limits of your account; "fallback" names another model for such a time.',
    },
    moved: {
      what: ({ name, to, status }: MovedServer) =>
        `The server of the model ${name} sends requests elsewhere (${status}): ${to}`,
      why: () => 'Keyturn does not follow with your key to a place that the config does not name.',
      mend: ({ name, to }: MovedServer) =>
        `Write the new address, ${to} with its path, into base_url of models.${name}, if you trust it.`,
    },
    noApi: {
      what: ({ name, address }: AskedModel) => `At ${address} is a web page, not the API of the model ${name}.`,
      why: () => 'Nothing there can answer.',
      mend: () =>
        'Correct base_url: it is what the documentation of the server calls its API, mostly with /v1 at the end.',
    },
    noTools: {
      what: ({ name, model }: ModelName) => `The server of ${name} says that ${model} calls no tools.`,
      why: () => 'Its calls are read from the text of its answers, which goes wrong more often.',
      mend: () => `Choose a model that calls tools; ${ownCommand()} doctor model tries one.`,
    },
    windowOver: {
      what: ({ name, window, wanted }: WindowSize) =>
        `context_tokens of the model ${name} is ${wanted}, and its server serves ${window}.`,
      why: () => 'What is longer is refused, or the server cuts off the beginning without a word.',
      mend: ({ name, window, isOllama }: WindowSize) =>
        isOllama
          ? `OLLAMA_CONTEXT_LENGTH=32768 ollama serve, or num_ctx in its Modelfile; or "context_tokens": ${window} under models.${name}.`
          : `Start the server with a larger window, or write "context_tokens": ${window} under models.${name}.`,
    },
    windowSmall: {
      what: ({ name, window }: WindowSize) => `The server of the model ${name} serves a window of ${window} tokens.`,
      why: () => 'Tools and what was said hardly fit in together: it forgets soon, and knows only some tools.',
      mend: ({ isOllama }: WindowSize): string =>
        isOllama
          ? 'OLLAMA_CONTEXT_LENGTH=32768 ollama serve, or num_ctx in its Modelfile.'
          : 'Start the server with a larger window: -c 32768 for llama.cpp, Context Length for LM Studio.',
    },
  },
  zh: {
    pathTooLong: {
      what: ({ name, address }) => `模型 ${name} 的 base_url 写成了一个请求的地址：${address}`,
      why: () => 'Keyturn 会在后面加上请求的路径，于是每个请求都发到不存在的地方。',
      mend: ({ name, right }) => `在配置的 models.${name} 下写 "base_url": "${right}"。`,
    },
    pathTooShort: {
      what: ({ name, address }) => `模型 ${name} 的 base_url 缺少版本：${address}`,
      why: () => '服务器的 API 在版本路径下，对每个请求都回答 404。',
      mend: ({ name, right }) => `在配置的 models.${name} 下写 "base_url": "${right}"。`,
    },
    needsKey: {
      what: ({ name, status }) => `模型 ${name} 的服务器要求密钥（${status}），而配置里没有。`,
      why: () => '它什么都不回答。',
      mend: ({ name }) => `把密钥以 NAME=… 写进 .env，在 models.${name} 下写 "api_key": "\${NAME}"。`,
    },
    noCredit: {
      what: ({ name }) => `模型 ${name} 的账户没有余额了（402）。`,
      why: () => '充值之前，服务商拒绝每个请求。',
      mend: () => '在服务商处充值，或在 "model" 中换一个模型；"fallback" 可以指定这种时候用的模型。',
    },
    tooMany: {
      what: ({ name }) => `模型 ${name} 的服务器暂时不再接受请求（429）。`,
      why: () => '在它恢复之前，回答要等待。',
      mend: () => '等一等，或查看账户的限额；"fallback" 可以指定这种时候用的模型。',
    },
    moved: {
      what: ({ name, to, status }) => `模型 ${name} 的服务器把请求转到别处（${status}）：${to}`,
      why: () => 'Keyturn 不会带着你的密钥去配置没有写明的地方。',
      mend: ({ name, to }) => `如果信任新地址，把 ${to} 连同路径写进 models.${name} 的 base_url。`,
    },
    noApi: {
      what: ({ name, address }) => `${address} 是一个网页，不是模型 ${name} 的 API。`,
      why: () => '那里没有能回答的东西。',
      mend: () => '改正 base_url：写服务器文档中的 API 地址，通常以 /v1 结尾。',
    },
    noTools: {
      what: ({ name, model }) => `${name} 的服务器说 ${model} 不会调用工具。`,
      why: () => '只能从它回答的文字中读出调用，更容易出错。',
      mend: () => `换一个会调用工具的模型；${ownCommand()} doctor model 可以试一个。`,
    },
    windowOver: {
      what: ({ name, window, wanted }) => `模型 ${name} 的 context_tokens 是 ${wanted}，而服务器只提供 ${window}。`,
      why: () => '更长的内容会被拒绝，或者服务器不声不响地截掉开头。',
      mend: ({ name, window, isOllama }) =>
        isOllama
          ? `OLLAMA_CONTEXT_LENGTH=32768 ollama serve，或在 Modelfile 中设置 num_ctx；或在 models.${name} 下写 "context_tokens": ${window}。`
          : `用更大的窗口启动服务器，或在 models.${name} 下写 "context_tokens": ${window}。`,
    },
    windowSmall: {
      what: ({ name, window }) => `模型 ${name} 的服务器只提供 ${window} 个 token 的窗口。`,
      why: () => '工具和对话很难同时放下：它很快会忘，而且只知道部分工具。',
      mend: ({ isOllama }) =>
        isOllama
          ? 'OLLAMA_CONTEXT_LENGTH=32768 ollama serve，或在 Modelfile 中设置 num_ctx。'
          : '用更大的窗口启动服务器：llama.cpp 用 -c 32768，LM Studio 用 Context Length。',
    },
  },
});

interface AskedModel {
  readonly name: string;
  readonly address: string;
  readonly status: number;
}

interface PathFault {
  readonly name: string;
  readonly address: string;
  /** What to write. */
  readonly right: string;
}

interface MovedServer extends AskedModel {
  readonly to: string;
}

interface ModelName {
  readonly name: string;
  readonly model: string;
}

/** In tokens. */
interface WindowSize {
  readonly name: string;
  readonly window: number;
  readonly wanted: number;
  readonly isOllama: boolean;
}
