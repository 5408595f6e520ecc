/**
 * What people say for the options of forms: a row per meaning, the options that mean it, then words for it in English,
 * German and Chinese. German words stand for all their endings, `_` is a space.
 */
const ROWS = `
low,cheap,budget,economy | cheap,cheapest,inexpensive,affordable,budget,low-cost,low_price | günstig,billig,preiswert | 便宜,实惠,经济
medium,moderate,mid,mid-range,middle | mid-range,moderate,medium,mid-priced,average | mittel,mittelpreis,mittelklasse | 中等,中档
high,luxury,premium,expensive | expensive,luxury,luxurious,high-end,fancy,upscale,posh | teuer,luxus,gehoben,edel,luxuriös | 豪华,高档,奢华,贵
celsius,metric,c,°c | celsius,°c,centigrade,metric | celsius,grad_celsius,°c,metrisch | 摄氏,摄氏度
fahrenheit,imperial,f,°f | fahrenheit,°f,imperial | fahrenheit,°f | 华氏,华氏度
kelvin,k | kelvin | kelvin | 开尔文
economy,economy_class,coach | economy | economy,touristenklasse | 经济舱
business,business_class | business_class,business | business,geschäftsklasse | 商务舱,公务舱
first,first_class | first_class | erste_klasse,erster_klasse | 头等舱,一等座
one-way,single,oneway | one-way,one_way,single_ticket | einfach,hinfahrt,nur_hin,einfache_fahrt | 单程
round-trip,return,roundtrip | round_trip,round-trip,return_ticket,return_flight,there_and_back | hin_und_zurück,rückfahrt,rückflug | 往返,来回
small,s | small,little,tiny | klein | 小杯,小号,小份,小的
medium,m | medium | mittel,mittelgroß | 中杯,中号,中份
large,l,big | large,big | groß | 大杯,大号,大份,大的
urgent,high,critical | urgent,urgently,asap,immediately,critical,emergency,right_away,as_soon_as_possible | dringend,eilig,sofort,umgehend,schnellstmöglich | 紧急,加急,立刻,马上,尽快
low | no_rush,whenever,low_priority,not_urgent,some_day | nicht_dringend,nicht_eilig,keine_eile,irgendwann | 不急,不着急
express,fast,overnight | express,overnight,rush,expedited,fastest | express,eilversand,schnell | 加急,快递,特快
standard,normal,regular | standard,regular,normal | standard,normal | 普通,标准
pickup,collection | pick_up,pickup,collect,takeaway,take_away | abholen,abholung,abhole,selbst_abholen | 自取,自提,打包
delivery,deliver | deliver,delivered,delivery,to_my_door | liefern,lieferung,geliefert | 外送,送货,外卖,配送
cash | cash | bar,bargeld | 现金
card,credit_card,creditcard | card,credit_card | karte,kreditkarte | 刷卡,信用卡
invoice | invoice | rechnung | 发票,开票
paypal | paypal | paypal | 贝宝
male,m,man | male,man,he | männlich,mann,herr | 男,先生
female,f,woman | female,woman,she | weiblich,frau | 女,女士
vegetarian | vegetarian,veggie | vegetarisch | 素食,素的
vegan | vegan | vegan | 纯素
red | red | rot | 红
blue | blue | blau | 蓝
green | green | grün | 绿
black | black | schwarz | 黑
white | white | weiß | 白
yellow | yellow | gelb | 黄
on,enable,enabled,start,activate | turn_on,switch_on,enable,activate,on | einschalten,anschalten,aktivieren,anmachen,mach_an,schalte_an,ein | 打开,开启,启用,开灯
off,disable,disabled,stop,deactivate | turn_off,switch_off,disable,deactivate,off | ausschalten,abschalten,deaktivieren,ausmachen,aus | 关闭,关掉,停用,关灯
increase,up,raise | increase,raise,up,louder,brighter,warmer | erhöhen,lauter,heller,wärmer | 增加,提高,调高
decrease,down,lower | decrease,lower,reduce,quieter,down | verringern,leiser,senken,dunkler,kälter | 减少,降低,调低
asc,ascending | ascending,oldest_first,lowest_first | aufsteigend | 升序
desc,descending | descending,newest_first,highest_first | absteigend | 降序
open,pending | open,pending,unresolved | offen,ausstehend | 未处理,待处理,打开
closed,done,resolved,completed | closed,done,resolved,completed,finished | erledigt,geschlossen,abgeschlossen,fertig | 已完成,已解决,关闭
daily,day | daily,every_day | täglich,jeden_tag | 每天,每日
weekly,week | weekly,every_week | wöchentlich,jede_woche | 每周,每星期
monthly,month | monthly,every_month | monatlich,jeden_monat | 每月
yearly,annual,annually | yearly,annually,every_year | jährlich,jedes_jahr | 每年
breakfast | breakfast | frühstück | 早餐,早饭
lunch | lunch | mittagessen | 午餐,午饭
dinner | dinner,supper | abendessen | 晚餐,晚饭
car,driving,drive | car,driving,drive,by_car | auto,fahren | 开车,驾车,汽车
walking,walk,foot | walk,walking,on_foot | zu_fuß,laufen | 步行,走路
bicycle,cycling,bike | bike,bicycle,cycling | fahrrad,rad | 骑车,自行车,骑行
transit,public_transport,train | public_transport,by_train,by_bus,transit | öffentlich,bahn,zug,bus | 公交,地铁,火车
en,english,en-us,en-gb | english,in_english,into_english | englisch,englische | 英语,英文
de,german,de-de | german,in_german | deutsch,deutsche | 德语,德文
zh,chinese,zh-cn | chinese,mandarin | chinesisch | 中文,汉语,普通话
fr,french | french | französisch | 法语,法文
es,spanish | spanish | spanisch | 西班牙语,西班牙文
it,italian | italian | italienisch | 意大利语
ja,japanese,jp | japanese | japanisch | 日语,日文
ko,korean | korean | koreanisch | 韩语,韩文
pt,portuguese | portuguese | portugiesisch | 葡萄牙语
ru,russian | russian | russisch | 俄语
positive,pos,good,positiv,正面 | positive | positiv | 正面
negative,neg,bad,negativ,负面 | negative | negativ | 负面
usd | dollars,dollar,bucks | dollar | 美元
eur | euro,euros | euro | 欧元
gbp | pounds,sterling | pfund | 英镑
cny,rmb | yuan,renminbi | yuan | 人民币
jpy | yen | yen | 日元
`;

interface ChoiceRow {
  options: ReadonlySet<string>;
  words: RegExp;
}

const rows: readonly ChoiceRow[] = ROWS.trim()
  .split("\n")
  .map((row) => {
    const [options = [], english = [], german = [], chinese = []] = row.split("|").map((cell) =>
      cell
        .trim()
        .split(",")
        .map((word) => word.replaceAll("_", " ")),
    );
    const whole = [...english.map(quoted)].join("|");
    const begun = german.map(quoted).join("|");
    const source = `(?<![\\p{L}\\p{N}])(?:(?:${whole})(?![\\p{L}\\p{N}])|(?:${begun})(?:e[mnrs]?|er(?:e[mnrs]?)?|st(?:e[mnrs]?)?|en)?(?!\\p{L}))|${chinese.join("|")}`;
    return { options: new Set(options.map(spaced)), words: new RegExp(source, "giu") };
  });

function spaced(option: string): string {
  return option.replaceAll("-", " ");
}

function quoted(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

/** Where a text says in other words what an option (in lower-case words) means; -1 where it does not. */
export function indexOfChoice(text: string, option: string): number {
  let first = -1;
  for (const { options, words } of rows) {
    if (!options.has(spaced(option))) continue;
    words.lastIndex = 0;
    const index = words.exec(text)?.index ?? -1;
    if (index >= 0 && (first < 0 || index < first)) first = index;
  }
  return first;
}
