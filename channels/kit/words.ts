import type { ChannelHost, Sender } from '../../src/contract.ts';
import { catalogue, type Language } from '../../src/lib/words.ts';

interface Platform {
  /** Display name: "Slack". */
  readonly platform: string;
}

interface Coded {
  /** As the system names the error: `ECONNRESET`. */
  readonly code: string;
}

/** What every channel has to say. The causes of failures are clauses. */
export const kitWords = catalogue({
  en: {
    /** A message without anything that can be read: continues "I cannot read". */
    thisKindOfMessage: 'this kind of message',
    unstored: ({ platform }: Platform) =>
      `What ${platform} delivers cannot be stored. Keyturn keeps trying; the log says what is wrong.`,

    requestFailed: ({ platform, tried, why }: Platform & { readonly tried: string; readonly why: string }) =>
      `${platform}, ${tried}: ${why}`,
    sendingMessage: 'sending a message',
    sendingFile: 'sending a file',
    downloadingFile: 'download of a file',
    answeringCommand: 'answering a command',

    notConnectedYet: ({ platform }: Platform) => `${platform} is not connected yet`,
    notItsChat: ({ platform }: Platform) => `This is not a chat of ${platform}.`,
    notItsMessage: ({ platform }: Platform) => `This is not a message of ${platform}.`,

    tooManyRequests: 'too many requests',
    calledOff: 'it was called off',
    downloadCalledOff: 'the download was called off',
    noAnswerInTime: 'no answer in time',
    answerCutOff: 'the answer was cut off',
    theServer: 'the server',
    answerUnreadable: ({ name }: { readonly name: string }) => `the answer could not be read (${name})`,
    connectionBroke: ({ code }: Coded) => `the connection broke (${code})`,
    noConnection: ({ code }: Coded) => `no connection (${code})`,
    serverAnswers: ({ status }: { readonly status: number }) => `the server answers ${status}`,
    sentOn: 'the server sends us on to another address, which is not followed',
    requestSentOn: 'the server sends us on to another address, which is not followed. Check api_url',
    proxyPage: 'an error page of a proxy came in place of an answer',
    namesNoPlace: 'the server does not say where the file is',
    fileUnreadable: 'the file can no longer be read',
    fileUnreadableNow: ({ code }: Coded) => `the file can no longer be read (${code})`,
    noFileAnyMore: 'the file to send is no longer a file',
  },
  zh: {
    thisKindOfMessage: '这类消息',
    unstored: ({ platform }) => `${platform} 发来的内容无法保存。Keyturn 会继续尝试，原因见日志。`,

    requestFailed: ({ platform, tried, why }) => `${platform}（${tried}）：${why}`,
    sendingMessage: '发送消息',
    sendingFile: '发送文件',
    downloadingFile: '下载文件',
    answeringCommand: '回答命令',

    notConnectedYet: ({ platform }) => `尚未连接到 ${platform}`,
    notItsChat: ({ platform }) => `这不是 ${platform} 的聊天。`,
    notItsMessage: ({ platform }) => `这不是 ${platform} 的消息。`,

    tooManyRequests: '请求太多',
    calledOff: '已中止',
    downloadCalledOff: '下载已中止',
    noAnswerInTime: '没有及时应答',
    answerCutOff: '应答不完整',
    theServer: '服务器',
    answerUnreadable: ({ name }) => `无法读取应答（${name}）`,
    connectionBroke: ({ code }) => `连接中断（${code}）`,
    noConnection: ({ code }) => `没有连接（${code}）`,
    serverAnswers: ({ status }) => `服务器返回 ${status}`,
    sentOn: '服务器要求转到另一个地址，Keyturn 不会跟随',
    requestSentOn: '服务器要求转到另一个地址，Keyturn 不会跟随。检查 api_url',
    proxyPage: '收到的不是应答，而是代理的错误页面',
    namesNoPlace: '服务器没有说明文件在哪里',
    fileUnreadable: '文件已无法读取',
    fileUnreadableNow: ({ code }) => `文件已无法读取（${code}）`,
    noFileAnyMore: '要发送的已不是文件',
  },
});

/** The language to speak to this person in; to the operator, if nobody is named. */
export function languageFor(host: Pick<ChannelHost, 'languageFor'> | undefined, sender?: Sender): Language {
  return host?.languageFor?.(sender) ?? 'en';
}
