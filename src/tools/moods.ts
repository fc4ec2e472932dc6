/*
 * In which mood a sentence is said: as a question, a denial, a report of others, a story, or on a condition. All texts are
 * in lower case. English, Chinese, and the commonest words of other languages, since a denial must not be overlooked.
 */

/** One spelling for apostrophes. Before any other normalization, which takes some of them apart. */
export function plainApostrophes(text: string): string {
  return text.replaceAll(
    /[\u2018\u2019\u00b4\u02b9\u02bb-\u02bd\u02ca\u2032\u055a\u05f3\ua78c\uff07]|(?<=n)`(?=t)/gi,
    "'",
  );
}

/** A later sentence that takes an order back, or says that the person does it themselves. */
export function isTakenBack(text: string): boolean {
  return takenBack.some((pattern) => pattern.test(text));
}

const takenBack: readonly RegExp[] = [
  /(?:^|[.!?,;–—\n-]\s{0,3}|\b(?:but|wait|please|actually|sorry) )(?:do not|don'?t|never|no,? don'?t) (?:do|pay|send|execute|follow|run|make) (?:it|that|this|so|these|those|any|anything|one of|either)(?!\p{L})/u,
  /\b(?:none of (?:this|these|those|the above|that|it)|(?:just|only) kidding|scratch that|forget (?:it|that|about it|what i said)|never ?mind|cancel (?:that|it all)|on second thoughts?|changed my mind|take (?:it|that) back|disregard|i was joking|only joking)(?!\p{L})/u,
  /\b(?:i|we)(?:'ll|'d| will| want to| would| am going to|'m going to| can|'d rather| prefer to| have to| must) [^.!?\n]{0,60}\b(?:myself|ourselves|by hand|on my own)\b/u,
  /(?:别|不要|不用|甭|勿)(?:这样|这么|真的?)?(?:做|执行|照做|付|发|管)(?:了|它|这|那|$)|算了|开玩笑|我自己(?:来|会|要|再)?(?:发|付|做|写|处理|转)|当我没说|还是别|还是不/u,
  /やめて|やっぱり|冗談|自分で|하지\s?마|취소해|농담|내가 직접/u,
];

/**
 * Whether a message wavers about what it asks for: it hesitates or corrects itself, waits for the person's word, calls it
 * dubious, or says of it how it is: "Pay 50 to Eve would be madness." What cannot be undone is then asked about.
 */
export function isWavering(text: string): boolean {
  return wavering.some((pattern) => pattern.test(text));
}

const wavering: readonly RegExp[] = [
  // Hesitation and correction behind something.
  /(?:[.!?,;:–—([\n…]|\s-)\s{0,3}(?:but |oh,? |well,? |so )?(?:wait|nope|no[.!,]|no$|not[.!]|hm+|uh|um|oops|whoops|sorry(?!,? (?:for|about|i|to|that|my|we)(?!\p{L}))|correction|i meant?|make that|strike|scratch|on reflection|let me (?:think|check|see|sleep)|actually,? (?:leave|skip|keep|hold|that|make)|leave it|hold (?:it|that)|technically|theoretically|yes or no|good idea|bad idea|rejected|reverted|cancell?ed|revoked|obsolete|void|done|withdrawn|declined|expired)(?!\p{L})/u,
  /[✅☑✔❌🚫😂🤣]|等等|等一下|再想|想想|先别|撤回|撤销|作废|已?取消|收回|暂缓|缓一缓/u,
  // It waits for somebody's word.
  /\bask(?:ing)? me\b|\bcheck with me\b|\b(?:my|our|his|her|their) (?:ok|okay|confirmation|approval|permission|consent|go(?:-| )?ahead|word|answer|reply|signal)(?!\p{L})|\b(?:until|before|till) (?:i|we|you|he|she|they)(?!\p{L})|\b(?:approval|confirmation|permission) (?:by|of|from)|\bpending(?!\p{L})|\bgiven that\b|问我|前提|为准|等我|经我|我(?:同意|确认|批准)/u,
  // It is judged, or shown.
  /\b(?:scams?|fraud\p{L}*|phishing|spam|suspicious\p{L}*|strange\p{L}*|weird|odd|nonsense|ridiculous|dubious|fake|madness|mad|crazy|insane|silly|injections?|correct my|over my dead body|lol|haha|exact words|at all)(?!\p{L})|骗|可疑|奇怪|荒唐|(?:这么|这样)(?:写|说)|betrug/u,
  /(?:[,;:–—…]|\.{2,3}|[.!] )\s?(?:that|this|these|those)(?:(?: \p{L}{1,20})? (?:is|are|was|were)|'s)(?! (?:all|it|urgent|important|enough|fine|for|my|what i)(?!\p{L}))/u,
  // A question about it.
  /[.!] (?:(?:any )?(?:thoughts|opinions|ideas|comments|objections)|agreed?|pros and cons|ok(?:ay)?|right|deal|sure|what do you (?:think|say)|(?:is|was|would|should|does) (?:that|this|it)\b[^.!?]{0,60})\?|(?:怎么看|怎么样|好吗|行吗|可以吗|对吗|觉得呢?)[？?]/u,
  // "Do it and you are fired", "… and get a cake".
  / and (?:(?:you|he|she|they|we) (?!can|may)|get (?:an?|your|the|free) )/u,
];

/**
 * Whether a sentence that orders something leaves open what: a word says something about the order itself, takes some of
 * it out, or leaves it to what somebody else wrote.
 */
export function isLeftOpen(sentence: string): boolean {
  const [clause = ''] = sentence.split(/[,;:–—，；：]| - /, 1);
  if (leftOpen.test(sentence)) return true;
  // A sentence of its own, with its subject, may stand there.
  return (
    saidOfIt.test(clause) &&
    !/\b(?:who|which|that|because|since|as|where|when|if|i|we|it|he|she|they)(?!\p{L})/u.test(clause)
  );
}

/** Verbs whose subject is the order before them. */
const saidOfIt =
  / (?:(?<!(?:can|could|will|would) )(?:would(?! you)|is|are|was|were|has|had|will(?! you)|must|might|sounds?|seems?|feels?|looks? like|means?|makes|needs|broke|took|got|went|came|gave|did|ist|wäre|steht|klingt|heißt)(?!\p{L})|(?<!\b(?:the|an?|my|our|his|her|their) )\p{L}{3,}ed(?= (?!to |by |in |for |with |at |on |["'“‘…])|[.!]?$))|是|很|太|会(?!议)|失败|成功|这个?操作|这件?事|好像|觉得/u;

const leftOpen =
  /\b(?:apart|aside) from\b|\b(?:leav|skip|omit|spar|barr)(?:e|es|ing|ping|ting)? (?:out\b|#?\d)|\bskip\b|\bleave \S{1,60} (?:open|alone|as|out)\b|\b(?:all|everything|everyone|every|each|any)\b[^,.;]{0,60} (?:but|save|bar)(?= )|\b(?:whatever|whoever|whomever|whichever)\b|^(?:please )?(?:merge|delete|remove|close|approve|share|upload|publish|post|invite|pay|transfer|cancel) (?:what|those|whom|who)(?!\p{L})| (?:or(?! so\b)|vs\.?|versus) |\b(?:maybe|perhaps|possibly|eventually|someday|at some point|discuss)\b|\b(?:let|have|get|ask|wait)\b.{0,60} first\b|\bafter \p{L}{2,30} (?:has|have|had|is|was|\p{L}{2,20}s)\b|\b(?<!(?:sum|amount|total|rent|payment|bill|fee|price) )(?:of|behind|blocked by|(?:parent|duplicates?|copy|copies|child|children|sibling) of|that \p{L}{2,20}s) #?\d+(?! ?(?:\p{Sc}|eur|usd|gbp|chf|euros?|dollars?|pounds?))|除外|跳过|留着|保留|还是/u;

/** Whether the text denies something, or says instead of what. */
export function isDenied(text: string): boolean {
  return denials.some((pattern) => pattern.test(text.replaceAll(allowedDenials, '')));
}

const denials: readonly RegExp[] = [
  /(?:n't|\b(?:do|does|did|wo|ca|is|are|was|should|could|would|must|need|has|have|don|can|won) ?nt|\b(?:do|ca|wo|should|must|need)n ?t|\bnot|\bno(?=[ ,])|\bnone|\bnor|\bneither|\bnothing|\bnobody|\bno one|\brefus\p{L}+|\bforbid\p{L}*|\bforbad\p{L}*|\bprohibit\p{L}*|\bbann?ed|\bdeny|\bdenied|\bdecline (?:to|any)|\brefrain\p{L}*|\babstain\p{L}*|\bprevent\p{L}*|\bignor\p{L}+|\bwrong|\bnever|\bwithout|\bavoid\p{L}*|\bstop|\bcease|\bquit|\bhold off|\bcannot|\bunless|\brather than|\binstead|\bexcept|\bexcluding|\b(?:any|all|every)(?:thing|one|body)? but|\bother than|\bas opposed to|\bin place of|\bmustnt|\blest|\bbeware|\bunder no circumstances|\bmay only|\bhardly|\btaboo|\boff.limits)(?![\p{L}])/u,
  /[不别別勿没沒未無无莫甭毋弗禁]|休要|休想|切忌|停止|忽略|避免|谢绝|放弃|防止|免得|以免|省得|除了|除非|代替|取代/u,
  /(?:ない|ません|なしで|するな|やめ|中止|ぬ(?=$|[。、])|지\s?마|지\s?말|마세요|말고|말아|금지|않|아니|안 (?=\p{Script=Hangul})|못 ?하)/u,
  /(?<!\p{L})(?:nicht|kein\p{L}{0,2}|niemals|nie|jamais|pas|nunca|jam[aá]s|mai|não|nem|nie|не|нельзя|никогда|لا|नहीं|मत)(?!\p{L})/u,
];

/** Of something else than what is asked for: "all who are not in it yet". */
const allowedDenials =
  /\b(?:do not|don't|dont) (?:forget|hesitate) to\b|\bno (?:later|more|less|fewer|earlier) than\b|\bno (?:problem|rush|hurry|worries|matter)\b|\b(?:who|that|which) (?:(?:are|is|have|has|do|does|did) not|(?:are|is|have|has|do|does|did)n't)\b|\bif not\b(?=,)|不要忘记?|别忘了?|差不多|能不能|可不可以|不过|不错|不好意思|对不起|无论|特别|分别|级别|类别|区别|性别|个别|告别|未来|休息|休假/gu;

const questionWords =
  /^(?:(?:and|but|so|then|also|hi|hey|hello|ok|please),? )*(?:what|whats|what's|who|who's|whom|whose|when|where|where's|why|how|which|is|are|am|was|were|does|did|has|had|should|shall|may|might|must|isn't|aren't|doesn't|didn't|(?:do|have|can|could|would|will) (?:i|we|they|he|she|these|those|any)|(?:do|have) you|(?:can|could|would|will) it)(?![\p{L}])|(?:tell|show|explain|give|let) (?:me|us)\b|(?:summari[sz]e|explain|describe|read|check|find out|look up|see|wonder|ask) (?:if|whether|what|who|how|why|when|where|which)\b/u;

export function isQuestion(text: string): boolean {
  if (/[?？]["'”』」)]*$/.test(text) || questionWords.test(text)) return true;
  return /(?:什么|怎么|怎样|如何|为什么|为何|谁|哪|多少|几个|是否|有没有|是不是|该不该|要不要|应该.*吗)|[吗呢么嘛]$|[吗呢么嘛][。？?]/u.test(
    text,
  );
}

/** A question that is a request. */
export function isPolite(text: string): boolean {
  return (
    /(?:^|[,:] |\b(?:and|so|hi|hey|also|if so|then),? )(?:can|could|would|will) you (?:please |kindly |also |just |then )*\p{L}/u.test(
      text,
    ) ||
    /(?:^|, )(?:if (?:so|yes|not)|please)\b/.test(text) ||
    /(?:请|帮我|麻烦|能不能|可以|能)(?!.*(?:什么|怎么|怎样|如何|为什么|谁|哪|多少|是否))/u.test(text)
  );
}

/** Whether the text says what others say, ask for or want. */
export function isReported(text: string): boolean {
  return (
    reports.test(text) ||
    /(?:说|称|写道|写着|表示|要求|建议|让|叫|命令|请求|声称|据|问我|希望(?!你)|想让|写给|发来|寄来)/u.test(text)
  );
}

const reports =
  /\b(?:sa(?:ys|id|ying)|ask(?:s|ed|ing)|tells|told|telling|writes|wrote|written|claim(?:s|ed)|want(?:s|ed)|request(?:s|ed)|demand(?:s|ed)|beg(?:s|ged)|insist(?:s|ed)|suggest(?:s|ed)|recommend(?:s|ed)|ordered|instruct(?:s|ed|ions?)|according|supposed|propos(?:es|ed|al)|urg(?:es|ed)|remind(?:s|ed)|mention(?:s|ed)|stat(?:es|ed)|reads|goes like|repli(?:es|ed)|answer(?:s|ed)|expect(?:s|ed)|threaten(?:s|ed)|advis(?:es|ed)|forwarded|sent (?:me|us)|emailed|messaged|texted|mailed|quot(?:e|ed|ing)|allegedly|apparently|promis(?:es|ed)|agreed|hope[sd]?|wish(?:es|ed)?|think(?:s)?|thought|believe[sd]?|needs|sagt|schreibt|schrieb)(?!\p{L})/u;

/** Whether a sentence shows something that is written somewhere: "Here is what the page has." */
export function isShowing(text: string): boolean {
  return (
    /^[^，。！？,.!?]{0,12}(?:记录|日志|内容|邮件|消息|短信|页面|原文|标题|备注|文件)[：:]?$/u.test(text) ||
    /\b(?:below|as follows|following)[.:]?$/u.test(text) ||
    (showingWords.test(text) &&
      /\b(?:pages?|sites?|e?-?mails?|texts?|letters?|messages?|tickets?|files?|notes?|signs?|lines?|documents?|rules?|polic(?:y|ies)|offers?|instructions?|posts?|subject|title|nonsense|paragraphs?|sms|chat|found|logs?|output|commits?)(?!\p{L})/u.test(
        text,
      ))
  );
}

const showingWords =
  /^(?:commit|(?:(?:i|we)(?: just|'ve| have)? )?(?:got|received|found|saw|see|have)|here(?:'s| is| are)|(?:this|that|there|these|those)(?:'s| is| are| was| were)|look(?: at| what)|quoting|subject|title|the|a|an|our|their|his|her|its)(?!\p{L})/u;

/** Something said by somebody stands behind it: "…, says Bob". */
export function isAttributed(text: string): boolean {
  return /[,;–—-] ?(?:so )?(?:(?:i quote|quote|(?:he|she|they|it|the \p{L}{1,30}|my \p{L}{1,30}|\p{L}{1,30}) (?:says?|said|wrote|writes|asked|asks|told|tells|wants|claims))|(?:says|said|wrote|asked) (?:the |my )?\p{L}{1,30})(?!\p{L})|\b(?:according to|in the words of|as requested by)(?!\p{L})|[，,](?:这是)?[^，,。]{0,12}(?:说的|写的|要求的|让我的)/u.test(
    text,
  );
}

/** Whether a story, a draft or an example is wanted, where an order belongs to it. */
export function isFictional(text: string): boolean {
  return /\b(?:stor(?:y|ies)|novel|poem|haiku|song|lyrics|play|scene|screenplay|film script|essay|fiction\p{L}*|role-?play\p{L}*|dialog(?:ue)?|imagin(?:e|ary)|pretend|suppos(?:e|ing)|hypothetical\p{L}*|for example|e\.g\.|(?<![@./\p{L}-])example(?!\.\p{L})|sample|template|drafts?|draft(?:ed|ing)|what if|let's say|as if|character|joke|phrase|sentence|slogan|placeholder|dummy|simulat\p{L}+|dry.run|rehears\p{L}+)(?!\p{L})|故事|小说|剧本|诗|歌词|作文|草稿|起草|拟(?:一|稿|写)|假装|想象|假设|例如|比如|例句|造句|模板|模拟|角色扮演|演习|笑话|例え|物語|小説|下書き|초안|소설|이야기|예를/u.test(
    text,
  );
}

/** Whether what is asked for depends on something. `isWide`: also where it may only say when. */
export function dependsOnSomething(text: string, isWide: boolean): boolean {
  if (
    conditions.test(text) ||
    /如果|若|要是|假如|万一|倘若|只要|的话|一旦|除非|视.{0,12}而定|たら|れば|なら|면(?=\s|,)|경우/u.test(text)
  )
    return true;
  return isWide && (times.test(text) || /等.{1,30}(?:后|再|之后)|当.{1,30}时|之后再/u.test(text));
}

const conditions =
  /(?<!\p{L})(?:if|in case|in the event|provided|providing|assuming|unless|as long as|so long as|on condition|depending|subject to|contingent|should (?:it|they|the|he|she|this|that|there|everything|all)|only (?:when|after|once)|falls|wenn|sofern|si|se|если)(?!\p{L})/u;
const times =
  /(?<!\p{L})(?:when|whenever|once|as soon as|after (?:it|he|she|they|the|you|that|this|reading|checking)|sobald)(?!\p{L})/u;
