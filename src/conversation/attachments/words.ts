import type { InboundAttachment } from '../../contract.ts';
import { catalogue } from '../../lib/words.ts';

type Kind = InboundAttachment['kind'];

/** A file that cannot be used: its name as code, if it has one, and why as markdown. */
interface Fault {
  readonly kind: Kind;
  readonly name: string | undefined;
  readonly why: string;
  /** It was saved, but what is spoken in it is not known. */
  readonly isSaved: boolean;
}

/** What people are told about files that cannot be used. The reasons follow a colon; the model reads them in English. */
export const attachmentWords = catalogue({
  en: {
    unreadable: ({ what }: { readonly what: string }) =>
      `I cannot read ${what}. Write to me, or send a picture, a file or a voice message.`,
    noTranscription:
      '🎤 I cannot understand voice messages: no transcription model is set up. Please write to me instead. (The owner can set one up: `transcription` in the config.)',
    unusable: (fault: Fault) => `⚠️ I could not ${englishFault(fault)}.`,
    unusableFiles: ({ faults }: { readonly faults: readonly Fault[] }) =>
      ['⚠️ I could not', ...faults.map((fault) => `- ${englishFault(fault)}`)].join('\n'),
    becauseNotTranscribed: 'no transcription model is set up, so I cannot understand voice messages',
    becauseUnsaved: ({ why }: { readonly why: string }) => `it could not be saved (${why})`,
    becauseChannelCannot: 'this channel cannot fetch files',
    becauseUnfetched: ({ why }: { readonly why: string | undefined }) =>
      `it could not be fetched${why === undefined ? '' : ` (${why})`}`,
    becauseSlow: ({ seconds }: { readonly seconds: number }) => `fetching it took longer than ${seconds} s`,
    becauseTooLarge: ({ limit }: { readonly limit: string }) =>
      `it is larger than ${limit}, which is the most that I take`,
    becauseTooLargeForChannel: 'it is larger than the files that this channel hands out',
  },
  zh: {
    unreadable: ({ what }) => `我读不了这种消息（${what}）。给我写文字，或发图片、文件、语音消息。`,
    noTranscription:
      '🎤 我听不懂语音消息：没有设置语音转写模型。给我写文字吧。（所有者可以设置：配置中的 `transcription`。）',
    unusable: (fault) => `⚠️ ${chineseFault(fault)}。`,
    unusableFiles: ({ faults }) =>
      ['⚠️ 这些文件用不了：', ...faults.map((fault) => `- ${chineseFault(fault)}`)].join('\n'),
    becauseNotTranscribed: '没有设置语音转写模型，我听不懂语音消息',
    becauseUnsaved: ({ why }) => `无法保存（${why}）`,
    becauseChannelCannot: '这个渠道不能下载文件',
    becauseUnfetched: ({ why }) => `无法下载${why === undefined ? '' : `（${why}）`}`,
    becauseSlow: ({ seconds }) => `下载超过了 ${seconds} 秒`,
    becauseTooLarge: ({ limit }) => `大于 ${limit}，超过了我接收的上限`,
    becauseTooLargeForChannel: '超过了这个渠道可供下载的大小',
  },
});

function englishFault({ kind, name, why, isSaved }: Fault): string {
  return `${isSaved ? 'make out' : 'get'} ${name ?? englishKinds[kind]}: ${why}`;
}

function chineseFault({ kind, name, why, isSaved }: Fault): string {
  return `${isSaved ? '听不清' : '没能收到'}${name === undefined ? chineseKinds[kind] : ` ${name}`}：${why}`;
}

const englishKinds: Readonly<Record<Kind, string>> = {
  image: 'the picture',
  voice: 'the voice message',
  audio: 'the recording',
  video: 'the video',
  file: 'the file',
};

const chineseKinds: Readonly<Record<Kind, string>> = {
  image: '图片',
  voice: '语音消息',
  audio: '录音',
  video: '视频',
  file: '文件',
};
