// Stands in for Office.js: what the scripts of xlwings Server ask of Excel, without an Excel.
// CustomFunctions.associate keeps the functions, so that the check calls them as Excel would.
(() => {
  const requirements = { isSetSupported: () => true };
  globalThis.associated = {};
  globalThis.Office = {
    onReady: (callback) => {
      const info = { host: "Excel", platform: "OfficeOnline" };
      return Promise.resolve(callback ? callback(info) : info).then(() => info);
    },
    context: { requirements, platform: "OfficeOnline", displayLanguage: "en-US", contentLanguage: "en-US", ui: {} },
    actions: { associate: () => {} },
    HostType: { Excel: "Excel" },
    PlatformType: { OfficeOnline: "OfficeOnline" },
  };
  class RequestContext {
    constructor() {
      const culture = { name: "en-US", datetimeFormat: { shortDatePattern: "m/d/yyyy", load() {} }, load() {} };
      this.workbook = {
        name: "Book1.xlsx",
        load() {},
        application: { cultureInfo: culture, load() {} },
        worksheets: { onCalculated: { add() {} }, load() {}, items: [] },
      };
      this.application = this.workbook.application;
    }
    async sync() {}
  }
  globalThis.Excel = { RequestContext, run: async (work) => work(new RequestContext()), ErrorCodes: {} };
  class CellError extends Error {
    constructor(code, message) {
      super(message);
      this.code = code;
    }
  }
  globalThis.CustomFunctions = {
    associate: (name, called) => (globalThis.associated[name] = called),
    Error: CellError,
    ErrorCode: { invalidValue: "#VALUE!", notAvailable: "#N/A", invalidNumber: "#NUM!" },
  };
})();
