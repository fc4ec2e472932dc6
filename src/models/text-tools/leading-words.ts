/*
 * What the words in front of a call say of it: that it is made, or that it is shown. The words are data, by language.
 * `leading-words.txt` in the tests has sentences of each kind.
 */

/** Whether what follows in a form without marks is announced as a call, and not explained. Both are needed: JSON is often an answer. */
export function leadsToCall(words: string): boolean {
  if (says(refusing, lastClause(words))) return false;
  return says(announcing, words) && !says(explaining, words) && !says(quoting, lastClause(words));
}

/**
 * Whether a call with the marks of a format is only shown: its words end in a colon, and say that it is an example, how calls
 * are written, or what stands elsewhere. Of what a file or folder holds a model speaks as well before it looks.
 */
export function showsText(words: string): boolean {
  if (!/[:：]\s*$/.test(words)) return false;
  return says(refusing, lastClause(words)) || (says(quoting, lastClause(words)) && !says(announcing, words));
}

function says(patterns: readonly RegExp[], words: string): boolean {
  return patterns.some((pattern) => pattern.test(words));
}

/** The last sentence, without the colon: `the file holds`. */
function lastClause(words: string): string {
  const last = words
    .trim()
    .split(/[.!?]\s|[。！？\n]/)
    .findLast((sentence) => sentence.trim() !== '');
  return (last ?? '').replace(/[\s:：]+$/, '').trim();
}

/** Somewhere in the words: a call is made now. */
const announcing: readonly RegExp[] = [
  /\b(?:I['’]ll|I will|I['’]m going to|I am going to|(?:I|we) (?:need|have|want) to|(?:I|we) should|I can|let me|let['’]s|calling|running|using|checking|looking|now|first|next|then|sure|okay|ok|of course|certainly|one moment|thought|to (?:do|answer|find|check|get|see) (?:this|that|it|out)?)\b/i,
  /我[来來将將会會先]|[让讓]我|[帮幫][你您]|[现現]在|正在|首先|接下[来來]|好的|[调調]用|(?<![你您])需要|查看/,
  /(?<!なり|書き|言い|含み|示し|返し|書いてい|書いてあり|れてい|含んでい)ます|ましょう|まず|では|ください/,
  /겠습니다|할게|하겠|먼저|네[,.]|위해/,
];

/** Somewhere in the words: what follows may well be no call. Only for forms without marks. */
const explaining: readonly RegExp[] = [
  /\b(?:examples?|e\.g\.|for instance|such as|like (?:this|so|that)|looks? like|formats?|formatted|syntax|would|could|samples?|templates?|schemas?|snippets?|shows?|showing|here is how|how to|contains?|holds?|says?|reads|quoted?|written|wrote|writes|you write|means?|instead of|never|don['’]t|do not|old|spec|returned)\b/i,
  /例|格式|[语語]法|示范|[写寫]法|样本|[写寫]道|[这這][样樣]|[你您]可以/,
  /記|書式|形式|構文|サンプル/,
  /예[시를]|형식|문법/,
];

/** Of the last clause, whatever else is said: what follows is refused, is what somebody else wanted, or is an example in another language. */
const refusing: readonly RegExp[] = [
  /\b(?:will not|won['’]t|cannot|can['’]t|must not|mustn['’]t|should not|shouldn['’]t|do not|don['’]t|did not|didn['’]t|never|refus(?:e|es|ed|ing) to|not going to|declin(?:e|es|ed|ing) to)(?: be| have)? (?:run|runn?ing|ran|execut\w+|do|does|mak(?:e|ing)|call\w*|us(?:e|ing)|follow\w*|obey\w*|perform\w*|carry(?:ing)? out|act on)\b/i,
  /\binjection\b|\b(?:tr(?:y|ies|ied) to|asked|asks|told|tells|wanted|wants|instructed|instructs|order(?:s|ed)) (?:make |get |have )?me\b|\b(?:attacker|phishing|malicious|suspicious)\b/i,
  /\b(?:translation|transcript|quotation|wording|verbatim|original text|text you (?:want|ask|need)\w*)(?: (?:of|from) .{1,60})?$/i,
  /\b(?:beispiel|zum beispiel|ejemplo|exemple|esempio|exemplo|voorbeeld|przykład|örnek)\b|(?:^|\s)(?:например|пример)/i,
  /(?:不会|不會|不能|不要|不应|不應|不可|拒绝|拒絕|绝不|絕不)(?:去|再|会)?(?:运行|運行|执行|執行|调用|調用|使用|照做|做)|注入|(?:试图|試圖|企图|要求|想[让讓]|命令|指示)我|翻译(?:如下|是|为)?$/,
  /(?:実行|使用|呼び出し)(?:しません|できません|を拒否)|インジェクション|翻訳(?:は|です)?$|(?:실행|사용|호출)하지 않|인젝션|번역(?:은|입니다)?$/,
];

/** Of the last clause: what follows is an example, a format, or stands elsewhere. */
const quoting: readonly RegExp[] = [
  /\b(?:for example|for instance|e\.g\.?|such as|quot(?:e[ds]?|ing|ation))(?!\w)/i,
  /\bexamples?\b(?! (?:folder|director|dir|file|path|project|config))/i,
  /\b(?:like (?:this|so|that)|looks? like)(?: \w+){0,2}$/i,
  /^(?:the|its|their|this) (?:\w+ ){0,2}(?:format|syntax|notation|spelling)\b/i,
  /\b(?:here is|here['’]s|this is|has|have|in|uses?|following) (?:\w+ ){0,4}(?:format|syntax|notation|spelling|template|schema|snippet|sample)$/i,
  /\b(?:(?:here|this|that) is|here['’]s) how\b|^how (?:to|you|one)\b/i,
  // Who wants to see what it says makes a call.
  /^(?!.*\b(?:what|whether|if)\b).*\b(?:writes?|wrote|written|types?|typed|says?|said|sends?|sent|prints?|printed|emits?|emitted|returns|returned|contains?|contained|holds?|held|reads|shows|showed|means?|meant|was|were)(?: (?:this|so|it|that|the following|something|me|you|us))?$/i,
  /\b(?:never|do not|don['’]t|instead of|not)(?: (?:do|use|this|that|it|like)){0,3}$/i,
  /^(?:from|in|according to|as in) (?:the|its|their) (?:\w+ ){0,3}(?:docs?|documentation|manual|spec|specification|log|logs|readme|page|transcript)$/i,
  /例如|比如|譬如|[举舉]例|(?:示例|例子|范例|範例)(?!文件|目录|代码|项目|檔案|資料夾|的|夹)/,
  /(?<!(?:看|[检檢]查|[确確][认認]|了解|核对|验证|分析).{0,20})(?:格式|[语語]法|[写寫]法|句法|模板)(?:就?是|应?为|如下|像这样|应该是|通常是)?$/,
  /(?:[这這][样樣麼么]|如此)(?:[写寫]|[说說]|[调調]用|做|用)?的?$|(?:[写寫][成作为為着著道]?|[说說]道?|[显顯]示|返回|包含|输出|意思)(?:了|着|的?是)?$/,
  /(?:[内內]容|原文|文本|记录|日志|输出|结果)(?:如下|就?是|[为為])$/,
  /例えば|たとえば|例(?:です|は|を|として)?$|(?:書式|形式|構文|書き方|文法|フォーマット|サンプル)(?:は|です|の(?:とおり|通り)|$)/,
  /(?:次|以下)の(?:よう|様|とおり|通り)|(?:書かれて|書いて|記載されて|記されて)(?:い|あり)|内容(?:は|です)$/,
  /예를 들어|예[:：]?$|예시(?:입니다|는|:|$)|(?:형식|문법|구문|양식)(?:은|는|이|입니다|$)|다음과 같|(?:라고|적혀|쓰여)(?: |$)/,
];
