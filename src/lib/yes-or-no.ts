/*
 * What a short answer means to a question that can be answered by yes or no, in the words that people use for it. Only
 * whole answers count: what says more, asks back or says both is left to whoever can understand it.
 */

export type ShortAnswer =
  | { readonly type: 'yes' }
  /** `reason`: what follows the no. */
  | { readonly type: 'no'; readonly reason?: string };

/** Reads a text as a yes or a no; undefined if it is neither, or something else besides a yes. */
export function readShortAnswer(text: string): ShortAnswer | undefined {
  const said = text.normalize('NFKC').trim();
  if (said === '' || said.length > longest) return undefined;
  const words = wordsOf(said);
  const asksBack = /[?؟‽]/.test(said);
  if (words.length > 0 && words.every((word) => isYes(word) || isFiller(word)) && words.some(isYes))
    return asksBack ? undefined : { type: 'yes' };
  if (words.length > 0 && words.every((word) => isNo(word) || isFiller(word)) && words.some(isNo))
    return asksBack ? undefined : { type: 'no' };
  return noWithReason(said);
}

/** In UTF-16 units. The reason of a denial is cut to less. */
const longest = 2_000;

/** A no at the beginning, apart from what follows it. */
function noWithReason(said: string): ShortAnswer | undefined {
  if (noneAtAll.test(said)) return undefined;
  const plain = beginsWithNo.exec(said);
  const begin = plain ?? beginsWithRefusal.exec(said);
  if (begin === null) return undefined;
  // "Don't touch it" without its beginning would say the opposite.
  const reason = plain === null ? said : said.slice(begin[0].length);
  const rest = reason.trim();
  const words = wordsOf(rest);
  if (words.some(isYes) && words.every((word) => isYes(word) || isFiller(word))) return undefined;
  // "No wait, yes": who says both may mean either.
  return endsWithYes.test(rest) && !saysNot.test(rest) ? undefined : { type: 'no', reason: rest };
}

const endsWithYes =
  /(?:^|[\s\p{P}])(?:yes|yeah|yep|ok(?:ay)?|go ahead|do it|approve(?: it)?|好的?|同意|可以|批准|はい|承認|네|예|승인)[\s\p{P}]*$/iu;
const saysNot = /\bnot\b|n['’]?t\b|\bnever\b|\bunless\b|\buntil\b|[不没沒未别別]|ない|ません|않|안 /iu;

/** Words that can be left out of the reason, with what divides them from it. */
const beginsWithNo =
  /^(?:no|nope|nah|denied|deny|reject(?:ed)?|nein|non|não|нет|不行|不要|不可以|不同意|不可|不用了|不用|不了|不|否|算了|停|我不同意|拒绝|拒絕|いいえ|いえ|いや|だめ|ダメ|駄目|却下|拒否|아니요|아니오|아니|아뇨|안 ?돼요?|거부|거절|👎\p{EMod}?|❌|🚫|⛔\ufe0f?|🛑|✖\ufe0f?)(?:\s*[,.;:!，。；：！、–—-]+\s*|\s+)(?=\S)/iu;
/** Refusals that are part of the reason. */
const beginsWithRefusal =
  /^(?:don['’]?t\b|do not\b|never\b|stop\b|cancel\b|不要|不可以|不行|不同意|我不同意|不用了|不了|不准|不许|不許|别|別|先别|先別|先不|拒绝|拒絕|禁止|取消|停止|やめ|いいえ|だめ|ダメ|駄目|하지 ?마|안 ?[돼됩되])(?=.)/iu;
/** What begins like a no and is none. */
const noneAtAll =
  /^(?:no\.? ?\d|no (?:problems?|sweat|biggie|way to|need|worr(?:y|ies)|issues?|objections?|rush|doubt|idea|one|matter)\b|not\b|(?:don['’]?t|do not|stop|never|no need to) (?:worry|mind|know|care|ask|asking|wait|hesitate|understand|see)\b|never ?mind\b|不错|不錯|不客气|不客氣|不知道|不要紧|不要緊|(?:不用|不要|不必|别|別)(?:再|一直|老)?(?:担心|擔心|问|問|等|确认|確認|客气|客氣|管|怕)|(?:别|別)(?:的|人|名|处|處|墅|致)|いや(?:いや)?、?(?:いい|大丈夫))/iu;

/** The words without signs, and each sign that is an answer itself. Words of Chinese, Japanese and Korean stay whole. */
function wordsOf(text: string): readonly string[] {
  const plain = text
    .toLowerCase()
    .replace(/(안) (?=[돼됩되])|(하지) (?=마)/g, '$1$2')
    .replace(/['’]/g, '')
    .replace(/[~〜🙏😊🙂😀😄]|\p{EMod}|\ufe0f|\u200d[♂♀]/gu, '');
  return plain.match(/[\p{L}\p{M}\p{N}]+|[👍👌🆗👎❌🚫⛔🛑]|[✅✔☑✖]|[^\s\p{P}]/gu) ?? [];
}

const isYes = (word: string): boolean => yes.has(word);
const isNo = (word: string): boolean => no.has(word);
const isFiller = (word: string): boolean => fillers.has(word);

const yes = setOf(`
  yes y yep yeah yup yess yesss ya aye ok okay okey okie k kk oke okok sure go approve approved approves allow allowed accept accepted
  agree agreed confirm confirmed proceed continue granted affirmative absolutely definitely certainly fine lgtm
  好 好的 好啊 好呀 好吧 好嘞 好滴 好哒 好好 好的好的 同意 我同意 可以 可以的 可以啊 行 行的 行吧 行啊 准 批准 允许 允許 许可 許可 通过 通過 是 是的 对 對 对的 嗯 嗯嗯 没问题 沒問題 好好好 行行行 对对对 是是是 ok的 ok啊 ok啦 好啦 好哦 好喔 我批准 可以呀 行呀
  确认 確認 确定 執行 执行 继续 繼續 去吧 做吧 可 当然 當然 当然可以
  はい はーい ハイ イエス うん ええ いいよ いいですよ オーケー オーケーです オッケーです okです okだよ オッケー おk 承認 承認します 承認する 許可 許可します 許可する 同意します どうぞ はいどうぞ
  よい 良い よし よろしい お願いします はいお願いします おねがいします 進めて 進めてください 続けて 実行して 実行してください
  네 네네 예 응 넵 넹 좋아 좋아요 좋습니다 그래 그래요 승인 승인해 승인합니다 허용 허용해 허락 동의 동의해 동의합니다 오케이 ㅇㅇ ㅇㅋ 진행해 진행해줘 진행 해줘 하세요
  ja jawohl oui si sí sim da да evet
  👍 ✅ 👌 🆗 ✔ ☑
`);

const no = setOf(`
  no n nope nah naw nay never deny denied denies disapprove disapproved reject rejected refuse refused decline declined disallow forbid stop cancel dont nein non não нет nie hayır
  不 不要 不行 不可以 不可 不同意 我不同意 不准 不许 不許 不用 不是 否 别 別 拒绝 拒絕 我拒绝 驳回 駁回 禁止 取消 停止 停 算了 不用了 不了 不要了 不批准 我不批准 不允许 不允許 不通过 不通過 算了吧 不行的 不可以的 先不要 先别 先別 唔好 唔得
  いいえ いや いやです だめ ダメ 駄目 だめです ダメです 拒否 拒否します 却下 却下します やめて やめてください やめる やめます 中止 ノー いえ いらない いりません 不要です 不承認 承認しない 承認しません 許可しない 許可しません ダメだ だめだ ng
  아니 아니요 아니오 아뇨 안돼 안돼요 안됩니다 싫어 싫어요 거부 거부해 거부합니다 거절 거절합니다 취소 취소해 하지마 하지마요 하지마세요 그만 ㄴㄴ 노
  👎 ❌ 🚫 ⛔ 🛑 ✖
`);

const fillers = setOf(`
  please pls plz thanks thank thx you ahead it this that do on for with me now then sir of course right thats
  谢谢 謝謝 请 請 谢啦 多谢 吧 啊 ありがとう ありがとうございます 감사합니다 고마워 고마워요
`);

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
