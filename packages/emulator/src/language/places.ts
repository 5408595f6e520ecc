/** A place that a text names. */
export interface PlaceMention {
  /** As the text spells it. */
  name: string;
  kind: "city" | "country";
  index: number;
  end: number;
}

/** Cities by their names in English, German and Chinese; a name that two languages share stands once, `_` is a space. */
const CITIES = `
Amsterdam 阿姆斯特丹|Athens Athen 雅典|Auckland 奥克兰|Bangkok 曼谷|Barcelona 巴塞罗那|Basel 巴塞尔|Belgrade Belgrad 贝尔格莱德|Berlin 柏林|Bern 伯尔尼|Birmingham 伯明翰|Bologna 博洛尼亚|Boston 波士顿|Bratislava 布拉迪斯拉发|Bremen 不来梅|Brisbane 布里斯班|Bristol|Brussels Brüssel 布鲁塞尔|Bucharest Bukarest 布加勒斯特|Budapest 布达佩斯|Buenos_Aires 布宜诺斯艾利斯|Cairo Kairo 开罗|Cambridge 剑桥|Cape_Town Kapstadt 开普敦|Casablanca 卡萨布兰卡|Chicago 芝加哥|Cologne Köln 科隆|Copenhagen Kopenhagen 哥本哈根|Dallas 达拉斯|Denver 丹佛|Dortmund 多特蒙德|Dresden 德累斯顿|Dubai 迪拜|Dublin 都柏林|Dubrovnik|Düsseldorf 杜塞尔多夫|Edinburgh 爱丁堡|Florence Florenz 佛罗伦萨|Frankfurt 法兰克福|Freiburg 弗莱堡|Gdansk Danzig 格但斯克|Geneva Genf 日内瓦|Genoa Genua 热那亚|Glasgow 格拉斯哥|Gothenburg Göteborg 哥德堡|Granada 格拉纳达|Graz 格拉茨|Hamburg 汉堡|Hannover Hanover 汉诺威|Heidelberg 海德堡|Helsinki 赫尔辛基|Houston 休斯敦|Innsbruck 因斯布鲁克|Istanbul 伊斯坦布尔|Jakarta 雅加达|Jerusalem 耶路撒冷|Johannesburg 约翰内斯堡|Kiel|Krakow Kraków Krakau 克拉科夫|Kuala_Lumpur 吉隆坡|Kyiv Kiew 基辅|Kyoto 京都|Las_Vegas 拉斯维加斯|Lausanne 洛桑|Leeds 利兹|Leipzig 莱比锡|Lima 利马|Linz 林茨|Lisbon Lissabon 里斯本|Liverpool 利物浦|Ljubljana|London 伦敦|Los_Angeles 洛杉矶|Lübeck|Luzern Lucerne 卢塞恩|Lyon 里昂|Madrid 马德里|Mainz 美因茨|Malaga Málaga 马拉加|Manchester 曼彻斯特|Manila 马尼拉|Marrakesh Marrakesch 马拉喀什|Marseille 马赛|Melbourne 墨尔本|Mexico_City Mexiko-Stadt 墨西哥城|Miami 迈阿密|Milan Mailand 米兰|Montreal 蒙特利尔|Moscow Moskau 莫斯科|Mumbai 孟买|Munich München 慕尼黑|Nairobi 内罗毕|Naples Neapel 那不勒斯|New_Delhi Neu-Delhi 新德里|Delhi|New_York New_York_City 纽约|Nizza 尼斯|Nuremberg Nürnberg 纽伦堡|Osaka 大阪|Oslo 奥斯陆|Oxford 牛津|Palermo 巴勒莫|Paris 巴黎|Perth 珀斯|Philadelphia 费城|Pisa 比萨|Porto 波尔图|Prague Prag 布拉格|Quebec|Reykjavik 雷克雅未克|Riga 里加|Rio_de_Janeiro 里约热内卢|Rome Rom 罗马|Rotterdam 鹿特丹|Salzburg 萨尔茨堡|San_Diego 圣地亚哥|San_Francisco 旧金山|Santiago 圣地亚哥|Sao_Paulo São_Paulo 圣保罗|Seattle 西雅图|Seoul 首尔|Sevilla Seville 塞维利亚|Singapore Singapur 新加坡|Sofia 索非亚|Stockholm 斯德哥尔摩|Strasbourg Straßburg 斯特拉斯堡|Stuttgart 斯图加特|Sydney 悉尼|Taipei Taipeh 台北|Tallinn 塔林|Tel_Aviv 特拉维夫|Tokyo Tokio 东京|Toronto 多伦多|Toulouse 图卢兹|Trieste Triest|Turin 都灵|Utrecht|Valencia 巴伦西亚|Vancouver 温哥华|Venice Venedig 威尼斯|Verona 维罗纳|Vienna Wien 维也纳|Vilnius 维尔纽斯|Warsaw Warschau 华沙|Washington 华盛顿|Zagreb 萨格勒布|Zurich Zürich 苏黎世
Beijing Peking 北京|Shanghai Schanghai 上海|Guangzhou 广州|Shenzhen 深圳|Hong_Kong Hongkong 香港|Macau 澳门|Hangzhou 杭州|Nanjing Nanking 南京|Suzhou 苏州|Wuhan 武汉|Chengdu 成都|Chongqing 重庆|Xi'an Xian 西安|Tianjin 天津|Qingdao 青岛|Dalian 大连|Xiamen 厦门|Kunming 昆明|Changsha 长沙|Ningbo 宁波|Wuxi 无锡|Harbin 哈尔滨|Shenyang 沈阳|Jinan 济南|Zhengzhou 郑州|Hefei 合肥|Fuzhou 福州|Nanning 南宁|Guilin 桂林|Sanya 三亚|Haikou 海口|Lhasa 拉萨|Guiyang 贵阳|Lanzhou 兰州|Taiyuan 太原|Dongguan 东莞|Foshan 佛山|Wenzhou 温州|Zhuhai 珠海|Yangzhou 扬州|Shaoxing 绍兴|Jiaxing 嘉兴|Changchun 长春|Shijiazhuang 石家庄|Nanchang 南昌|Lijiang 丽江|Kaohsiung 高雄
`;
/** Countries in the same way. */
const COUNTRIES = `
Argentina Argentinien 阿根廷|Australia Australien 澳大利亚|Austria Österreich 奥地利|Belgium Belgien 比利时|Brazil Brasilien 巴西|Bulgaria Bulgarien 保加利亚|Canada Kanada 加拿大|Chile 智利|China 中国|Colombia Kolumbien 哥伦比亚|Croatia Kroatien 克罗地亚|Czechia Tschechien Czech_Republic 捷克|Denmark Dänemark 丹麦|Egypt Ägypten 埃及|England 英格兰|Estonia Estland 爱沙尼亚|Finland Finnland 芬兰|France Frankreich 法国|Germany Deutschland 德国|Greece Griechenland 希腊|Hungary Ungarn 匈牙利|Iceland 冰岛|India Indien 印度|Indonesia Indonesien 印度尼西亚|Ireland Irland 爱尔兰|Israel 以色列|Italy Italien 意大利|Japan 日本|Kenya Kenia 肯尼亚|Latvia Lettland 拉脱维亚|Lithuania Litauen 立陶宛|Luxembourg Luxemburg 卢森堡|Malaysia 马来西亚|Mexico Mexiko 墨西哥|Morocco Marokko 摩洛哥|Netherlands Niederlande[n]? 荷兰|New_Zealand Neuseeland 新西兰|Norway Norwegen 挪威|Peru 秘鲁|Poland Polen 波兰|Portugal 葡萄牙|Romania Rumänien 罗马尼亚|Russia Russland 俄罗斯|Scotland Schottland 苏格兰|Serbia Serbien 塞尔维亚|Slovakia Slowakei 斯洛伐克|Slovenia Slowenien 斯洛文尼亚|South_Africa Südafrika 南非|South_Korea Südkorea 韩国|Spain Spanien 西班牙|Sweden Schweden 瑞典|Switzerland Schweiz 瑞士|Thailand 泰国|Turkey Türkei 土耳其|Ukraine 乌克兰|United_Kingdom UK Großbritannien 英国|United_States USA US Vereinigte[n]?_Staaten 美国|Vietnam 越南
`;

function patternsOf(rows: string): { letters: RegExp; characters: RegExp } {
  const names = rows
    .trim()
    .split(/[|\n]/)
    .flatMap((row) => row.split(" "))
    .map((name) => name.replaceAll("_", " "));
  const longestFirst = (left: string, right: string) => right.length - left.length;
  const han = names.filter((name) => /\p{Script=Han}/u.test(name)).sort(longestFirst);
  const latin = names.filter((name) => !/\p{Script=Han}/u.test(name)).sort(longestFirst);
  return {
    // Names begin with capitals: "nice" and "split" are no places.
    letters: new RegExp(`(?<![\\p{L}\\p{N}])(?:${latin.join("|")})(?![\\p{L}\\p{N}])`, "gu"),
    characters: new RegExp(han.join("|"), "gu"),
  };
}

const KINDS = [
  ["city", patternsOf(CITIES)],
  ["country", patternsOf(COUNTRIES)],
] as const;
const MOST_MENTIONS = 200;

/** The well-known places in a text, in order. */
export function findKnownPlaces(text: string): PlaceMention[] {
  const mentions: PlaceMention[] = [];
  for (const [kind, { letters, characters }] of KINDS) {
    for (const pattern of [letters, characters]) {
      for (const match of text.matchAll(pattern)) {
        mentions.push({ name: match[0], kind, index: match.index, end: match.index + match[0].length });
        if (mentions.length >= MOST_MENTIONS) break;
      }
    }
  }
  return mentions.sort((left, right) => left.index - right.index);
}
