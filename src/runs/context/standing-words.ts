import type { KeptWords, TranscriptEntry, UserMessage } from '../../transcript.ts';
import { oneName, quotation } from '../../words/model-words.ts';
import { endsWithin } from './fit.ts';

/*
 * What outlives a summary word for word: the first task of a conversation, and what people have asked for from then on
 * ("always answer in French"). Found by words that say so, in the languages that they are most often said in; a word too
 * many costs a line of the window. Only what a person typed or spoke counts, nothing quoted or forwarded, and nothing by programs.
 */

/** What to keep of a part that a model no longer reads, of what was kept before too: the task first, then the oldest. */
export function wordsToKeep(entries: readonly TranscriptEntry[], before: readonly KeptWords[]): readonly KeptWords[] {
  const said = entries.flatMap((entry) => (entry.type === 'user' && entry.isByProgram !== true ? wordsIn(entry) : []));
  const all = [...before, ...said];
  const task = all.find(({ text }) => isTask(text));
  const standing = newestWithin(all, mostBytes, mostKept, task);
  return [...(task === undefined ? [] : [task]), ...standing];
}

/** As the model reads them, each under the name of its author; undefined if there are none. At most so many bytes for the task, and for all others. */
export function keptLines(kept: readonly KeptWords[], bytes: number): string | undefined {
  const task = kept.find(({ text }) => isTask(text));
  const standing = newestWithin(kept, Math.min(mostBytes, bytes), mostKept, task);
  const lines = [
    ...(task === undefined
      ? []
      : [
          `[the first task here, by ${oneName(task.name)}:]`,
          quotation(endsWithin(task.text, Math.min(mostOfTask, bytes))),
        ]),
    ...standing.flatMap(({ name, text }) => [`[by ${oneName(name)}:]`, quotation(text)]),
  ];
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** What a message asks for from then on: all of a short one, its sentences that say so of a long one. Undefined if nothing. */
export function standingPart(text: string): string | undefined {
  const wishes = sentencesOf(text).filter(isStanding);
  if (wishes.length === 0) return undefined;
  if (text.length <= shortMessage) return text.trim();
  return wishes
    .slice(0, mostSentences)
    .map((one) => one.slice(0, shortMessage).toWellFormed())
    .join('\n');
}

/** Whether the words ask for anything, rather than greet or thank. */
export function isTask(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.some((word) => !pleasantries.test(word));
}

function wordsIn({ seq, principal, name, text, attachments: [first] = [] }: UserMessage): readonly KeptWords[] {
  const isSpoken = first?.state === 'saved' && first.kind === 'voice' && first.isShared !== true;
  const words = text.trim() !== '' ? text : isSpoken ? (first.transcript ?? '') : '';
  return words.trim() === '' ? [] : [{ seq, principal, name, text: words }];
}

/** The newest standing wishes, the oldest first, without the task, which is told by itself. */
function newestWithin(
  all: readonly KeptWords[],
  bytes: number,
  most: number,
  task: KeptWords | undefined,
): readonly KeptWords[] {
  let left = bytes;
  const newestFirst = all.toReversed().flatMap((one) => {
    const text = one === task ? undefined : standingPart(one.text);
    return text === undefined ? [] : [{ ...one, text }];
  });
  const fitting = newestFirst.slice(0, most).filter(({ text }) => {
    left -= Buffer.byteLength(text) + lineOverhead;
    return left >= 0;
  });
  return fitting.toReversed();
}

/** About 1,500 tokens. */
const mostBytes = 5000;
const mostOfTask = 2000;
const mostKept = 40;
const lineOverhead = 30;
/** In characters. */
const shortMessage = 400;
const mostSentences = 4;

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？\n])\s*/u).filter((sentence) => sentence.trim() !== '');
}

/** A question asks for something only if it asks the assistant to do it. */
function isStanding(sentence: string): boolean {
  // Behind the name of the bot, as in a group.
  const words = sentence.trim().replace(/^(?:@\S+[\s,:：，]*)+/u, '');
  if (/[?？]["”』」)）]*$/u.test(words) && !requests.test(words)) return false;
  return standing.some((pattern) => pattern.test(words));
}

const requests =
  /\b(?:(?:can|could|will|would) you|please|bitte|peux-tu|pouvez-vous|puedes|podrías|можешь|можете)\b|能不能|能否|可以|可否|请|請|くださ|もらえ|くれ|주세요|줄래|줄 수/iu;

/** Where an order may begin: at the start of a clause, or behind words that lead to it. */
const order = String.raw`(?:^|[.!;:,(\n–—-]\s*|\b(?:please|kindly|and|but|then|so|also|just|you (?:must|should|shall|can|have to|need to|are to|will|may)|(?:can|could|will|would|want|like) you(?: to)?|must|should)\s+)`;

const standing: readonly RegExp[] = [
  /\bfrom (?:now|here|today|this (?:point|moment)) on|\b(?:going forward|henceforth|from now until|until i (?:say|tell you)|unless i (?:say|tell you)|for the rest of (?:this|our|the))\b|\bin (?:the )?future,/i,
  new RegExp(
    `${order}(?:always|never|do(?:n['’]t| not) (?:ever|forget)|(?:remember|note)(?::|,? (?:that|to)\\b)|(?:keep|bear) in mind)(?![\\p{L}\\p{N}])`,
    'iu',
  ),
  new RegExp(
    `${order}(?:call me|address me|(?:answer|reply|respond|speak|talk|write)(?: to)?(?: me| us)?(?: only| just)? in \\p{L})`,
    'iu',
  ),
  /\b(?:every|each) time\b|\bwhenever (?:i|you|we|there|somebody|someone)\b|\b(?:by default|as a rule)\b/i,
  /\b(?:don['’]t|do not|no more|stop|quit)\b.{1,120}\b(?:any ?more|any longer|ever again|again)\b/i,
  // Chinese, simplified and traditional.
  /(?:^|[，。！；：、,;:\s]|请|請|你|那么|那麼)以[后後](?=[\s，,]*\S)|以[后後](?:[都就请請不别別要用只你您每回全]|一律)|(?:从|從|自)(?:现|現)在(?:起|开始|開始)|(?:从|從)今(?:天|日)?(?:起|往后|往後|以后|以後|后|後)|今[后後]|往[后後](?=[都请請，,]|不要)/u,
  /(?<![他她它们們我])(?:总是|總是|永远|永遠|始终|始終|一律)|(?:请|請|要|你|您)一直|每(?:次|当|當)|(?:不要|不许|不許|不准|别|別|不用)再|再也(?:不要|别|別)|(?:绝|絕|千万|千萬|切)(?:不要|不能|不可|别|別|勿)|切勿|[务務]必/u,
  /(?:^|[，。！；：,;:\s]|请|請|你|您|要)(?:记住|記住|记得|記得|牢记|牢記|谨记|謹記|记一下)|别忘|別忘|不要忘|默认|預設|叫我|称呼我|稱呼我|(?:用|说|說)(?:中文|英文|英语|英語|日语|日語|日文|韩语|韓語|粤语|粵語|法语|法語|德语|德語|俄语|俄語|西班牙语)(?:回答|回复|回覆|交流|和我|跟我)/u,
  // Japanese.
  /今後|これから(?:は|も|ずっと)|以後|常に|いつも(?!あり|お世話|どうも)|毎回|必ず|絶対に|決して|二度と|覚えて(?:おいて|て|ね|く)|忘れないで|今日から|ずっと.{0,20}(?:して|ください|で)|もう.{0,30}ないで|と呼んで|語で(?:答え|返|話|書)/u,
  // Korean.
  /앞으로|이제부터|지금부터|오늘부터|항상|언제나|늘\s|매번|절대|다시는|기억해|명심해|잊지\s?(?:마|말)|더\s?이상.{0,40}(?:마|말)|라고 불러|어로 (?:대답|답|말|써)/u,
  // German, French, Spanish, Portuguese, Italian, Russian.
  /\b(?:ab (?:jetzt|sofort|heute)|von (?:jetzt|nun) an|künftig|zukünftig|in zukunft|merk(?:e)? dir|denk(?:e)? (?:immer )?daran|vergiss nicht|nie wieder|nenn(?:e)? mich)\b|(?:^|[.!;,]\s*|\bbitte\s+|\p{L}+e?\s+(?:mir\s+)?)(?:immer|niemals)\s+\p{L}/iu,
  /(?:^|[^\p{L}])(?:désormais|dorénavant|à partir de maintenant|à l['’]avenir|souviens-toi|rappelle-toi|n['’]oublie pas|retiens|appelle-moi|ne .{1,60} (?:jamais|plus)|(?:réponds|écris|utilise|parle)[ -].{0,40}toujours|toujours)(?![\p{L}])/iu,
  /(?:^|[^\p{L}])(?:de ahora en adelante|a partir de (?:ahora|hoy|agora|hoje)|de agora em diante|en el futuro|recuerda|acuérdate|no olvides|lembre-se|lembra-te|não (?:se )?esqueça|llámame|chama-me|me chame|siempre|nunca(?: más| mais)?|sempre|d['’]ora in poi|da ora in poi|da adesso in poi|ricorda(?:ti)?|non dimenticare|chiamami|mai più)(?![\p{L}])/iu,
  /(?:^|[^\p{L}])(?:отныне|впредь|с этого момента|с сегодняшнего дня|начиная с сегодня|запомни(?:те)?|не забывай(?:те)?|помни(?:те)?|всегда|никогда|больше не|называй(?:те)? меня|отвечай(?:те)? (?:мне )?(?:только )?(?:на|по-))/iu,
];

const pleasantries =
  /^(?:hi+|hey+|hello+|hallo|yo|hiya|greetings|good|morning|afternoon|evening|night|there|thanks?|thank|you|ok(?:ay)?|test(?:ing)?|ping|start|moin|servus|guten|tag|morgen|bonjour|bonsoir|salut|hola|buenos|buenas|días|dias|tardes|olá|ola|oi|ciao|salve|buongiorno|привет|здравствуйте|здравствуй|добрый|день|你好+|您好|嗨|哈[喽啰囉]|早上好|早安|下午好|晚上好|在吗|在嗎|谢谢|謝謝|大家好|こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|もしもし|やあ|よろしく(?:お願いします)?|ありがとう(?:ございます)?|안녕(?:하세요|하십니까)?|반가워요?|감사합니다|고마워요?)$/u;
