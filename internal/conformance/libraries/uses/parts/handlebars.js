// Made by handlebars' precompile of the templates in the comments.
/*
<h1>{{title}}</h1>{{! comment }}
{{#each items as |item i|}}
  {{> row item index=@index last=@last}}{{#if tags}}({{#each tags}}{{@../index}}.{{@index}}={{this}}{{#unless @last}}, {{/unless}}{{/each}}){{else}}(no tags){{/if}}
{{else}}
  nothing
{{/each}}
{{#each map}}{{@key}}={{this}};{{/each}}{{#with nested.deep}}{{value}}{{../title}}{{/with}}
{{{html}}} {{html}} {{loud title end="!"}} {{lookup map "k"}} {{missing.path}}
{{#repeat n as |k|}}[{{k}}{{@i}}]{{else}}none{{/repeat}}
*/
export const page = {"0":function(container,depth0,helpers,partials,data,blockParams,depths) {
    var stack1, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return "  "
    + ((stack1 = container.invokePartial(lookupProperty(partials,"row"),blockParams[0][0],{"name":"row","hash":{"last":(data && lookupProperty(data,"last")),"index":(data && lookupProperty(data,"index"))},"data":data,"blockParams":blockParams,"helpers":helpers,"partials":partials,"decorators":container.decorators})) != null ? stack1 : "")
    + ((stack1 = lookupProperty(helpers,"if").call(depth0 != null ? depth0 : (container.nullContext || {}),(depth0 != null ? lookupProperty(depth0,"tags") : depth0),{"name":"if","hash":{},"fn":container.program(1, data, 0, blockParams, depths),"inverse":container.program(4, data, 0, blockParams, depths),"data":data,"blockParams":blockParams,"loc":{"start":{"line":3,"column":40},"end":{"line":3,"column":164}}})) != null ? stack1 : "")
    + "\n";
},"1":function(container,depth0,helpers,partials,data,blockParams,depths) {
    var stack1, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return "("
    + ((stack1 = lookupProperty(helpers,"each").call(depth0 != null ? depth0 : (container.nullContext || {}),(depth0 != null ? lookupProperty(depth0,"tags") : depth0),{"name":"each","hash":{},"fn":container.program(2, data, 0, blockParams, depths),"inverse":container.noop,"data":data,"loc":{"start":{"line":3,"column":53},"end":{"line":3,"column":139}}})) != null ? stack1 : "")
    + ")";
},"2":function(container,depth0,helpers,partials,data,blockParams,depths) {
    var stack1, helper, alias1=container.lambda, alias2=container.escapeExpression, alias3=depth0 != null ? depth0 : (container.nullContext || {}), lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return alias2(alias1((container.data(data, 1) && lookupProperty(container.data(data, 1),"index")), depth0))
    + "."
    + alias2(((helper = (helper = lookupProperty(helpers,"index") || (data && lookupProperty(data,"index"))) != null ? helper : container.hooks.helperMissing),(typeof helper === "function" ? helper.call(alias3,{"name":"index","hash":{},"data":data,"loc":{"start":{"line":3,"column":81},"end":{"line":3,"column":91}}}) : helper)))
    + "="
    + alias2(alias1(depth0, depth0))
    + ((stack1 = lookupProperty(helpers,"unless").call(alias3,(data && lookupProperty(data,"last")),{"name":"unless","hash":{},"fn":container.program(3, data, 0, blockParams, depths),"inverse":container.noop,"data":data,"loc":{"start":{"line":3,"column":100},"end":{"line":3,"column":130}}})) != null ? stack1 : "");
},"3":function(container,depth0,helpers,partials,data) {
    return ", ";
},"4":function(container,depth0,helpers,partials,data) {
    return "(no tags)";
},"5":function(container,depth0,helpers,partials,data) {
    return "  nothing\n";
},"6":function(container,depth0,helpers,partials,data) {
    var helper, alias1=container.escapeExpression, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return alias1(((helper = (helper = lookupProperty(helpers,"key") || (data && lookupProperty(data,"key"))) != null ? helper : container.hooks.helperMissing),(typeof helper === "function" ? helper.call(depth0 != null ? depth0 : (container.nullContext || {}),{"name":"key","hash":{},"data":data,"loc":{"start":{"line":7,"column":13},"end":{"line":7,"column":21}}}) : helper)))
    + "="
    + alias1(container.lambda(depth0, depth0))
    + ";";
},"7":function(container,depth0,helpers,partials,data,blockParams,depths) {
    var helper, alias1=container.escapeExpression, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return alias1(((helper = (helper = lookupProperty(helpers,"value") || (depth0 != null ? lookupProperty(depth0,"value") : depth0)) != null ? helper : container.hooks.helperMissing),(typeof helper === "function" ? helper.call(depth0 != null ? depth0 : (container.nullContext || {}),{"name":"value","hash":{},"data":data,"loc":{"start":{"line":7,"column":61},"end":{"line":7,"column":70}}}) : helper)))
    + alias1(container.lambda((depths[1] != null ? lookupProperty(depths[1],"title") : depths[1]), depth0));
},"8":function(container,depth0,helpers,partials,data,blockParams) {
    var helper, alias1=container.escapeExpression, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return "["
    + alias1(container.lambda(blockParams[0][0], depth0))
    + alias1(((helper = (helper = lookupProperty(helpers,"i") || (data && lookupProperty(data,"i"))) != null ? helper : container.hooks.helperMissing),(typeof helper === "function" ? helper.call(depth0 != null ? depth0 : (container.nullContext || {}),{"name":"i","hash":{},"data":data,"blockParams":blockParams,"loc":{"start":{"line":9,"column":26},"end":{"line":9,"column":32}}}) : helper)))
    + "]";
},"9":function(container,depth0,helpers,partials,data) {
    return "none";
},"compiler":[8,">= 4.3.0"],"main":function(container,depth0,helpers,partials,data,blockParams,depths) {
    var stack1, helper, alias1=depth0 != null ? depth0 : (container.nullContext || {}), alias2=container.hooks.helperMissing, alias3="function", alias4=container.escapeExpression, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return "<h1>"
    + alias4(((helper = (helper = lookupProperty(helpers,"title") || (depth0 != null ? lookupProperty(depth0,"title") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"title","hash":{},"data":data,"blockParams":blockParams,"loc":{"start":{"line":1,"column":4},"end":{"line":1,"column":13}}}) : helper)))
    + "</h1>\n"
    + ((stack1 = lookupProperty(helpers,"each").call(alias1,(depth0 != null ? lookupProperty(depth0,"items") : depth0),{"name":"each","hash":{},"fn":container.program(0, data, 2, blockParams, depths),"inverse":container.program(5, data, 0, blockParams, depths),"data":data,"blockParams":blockParams,"loc":{"start":{"line":2,"column":0},"end":{"line":6,"column":9}}})) != null ? stack1 : "")
    + ((stack1 = lookupProperty(helpers,"each").call(alias1,(depth0 != null ? lookupProperty(depth0,"map") : depth0),{"name":"each","hash":{},"fn":container.program(6, data, 0, blockParams, depths),"inverse":container.noop,"data":data,"blockParams":blockParams,"loc":{"start":{"line":7,"column":0},"end":{"line":7,"column":40}}})) != null ? stack1 : "")
    + ((stack1 = lookupProperty(helpers,"with").call(alias1,((stack1 = (depth0 != null ? lookupProperty(depth0,"nested") : depth0)) != null ? lookupProperty(stack1,"deep") : stack1),{"name":"with","hash":{},"fn":container.program(7, data, 0, blockParams, depths),"inverse":container.noop,"data":data,"blockParams":blockParams,"loc":{"start":{"line":7,"column":40},"end":{"line":7,"column":91}}})) != null ? stack1 : "")
    + "\n"
    + ((stack1 = ((helper = (helper = lookupProperty(helpers,"html") || (depth0 != null ? lookupProperty(depth0,"html") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"html","hash":{},"data":data,"blockParams":blockParams,"loc":{"start":{"line":8,"column":0},"end":{"line":8,"column":10}}}) : helper))) != null ? stack1 : "")
    + " "
    + alias4(((helper = (helper = lookupProperty(helpers,"html") || (depth0 != null ? lookupProperty(depth0,"html") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"html","hash":{},"data":data,"blockParams":blockParams,"loc":{"start":{"line":8,"column":11},"end":{"line":8,"column":19}}}) : helper)))
    + " "
    + alias4((lookupProperty(helpers,"loud")||(depth0 && lookupProperty(depth0,"loud"))||alias2).call(alias1,(depth0 != null ? lookupProperty(depth0,"title") : depth0),{"name":"loud","hash":{"end":"!"},"data":data,"blockParams":blockParams,"loc":{"start":{"line":8,"column":20},"end":{"line":8,"column":42}}}))
    + " "
    + alias4(lookupProperty(helpers,"lookup").call(alias1,(depth0 != null ? lookupProperty(depth0,"map") : depth0),"k",{"name":"lookup","hash":{},"data":data,"blockParams":blockParams,"loc":{"start":{"line":8,"column":43},"end":{"line":8,"column":61}}}))
    + " "
    + alias4(container.lambda(((stack1 = (depth0 != null ? lookupProperty(depth0,"missing") : depth0)) != null ? lookupProperty(stack1,"path") : stack1), depth0))
    + "\n"
    + ((stack1 = (lookupProperty(helpers,"repeat")||(depth0 && lookupProperty(depth0,"repeat"))||alias2).call(alias1,(depth0 != null ? lookupProperty(depth0,"n") : depth0),{"name":"repeat","hash":{},"fn":container.program(8, data, 1, blockParams, depths),"inverse":container.program(9, data, 0, blockParams, depths),"data":data,"blockParams":blockParams,"loc":{"start":{"line":9,"column":0},"end":{"line":9,"column":56}}})) != null ? stack1 : "")
    + "\n";
},"usePartial":true,"useData":true,"useDepths":true,"useBlockParams":true};
/*
<li class="{{#if last}}last{{/if}}">{{index}} {{name}} {{[name]}}</li>
*/
export const row = {"0":function(container,depth0,helpers,partials,data) {
    return "last";
},"compiler":[8,">= 4.3.0"],"main":function(container,depth0,helpers,partials,data) {
    var stack1, helper, alias1=depth0 != null ? depth0 : (container.nullContext || {}), alias2=container.hooks.helperMissing, alias3="function", alias4=container.escapeExpression, lookupProperty = container.lookupProperty || function(parent, propertyName) {
        if (Object.prototype.hasOwnProperty.call(parent, propertyName)) {
          return parent[propertyName];
        }
        return undefined
    };

  return "<li class=\""
    + ((stack1 = lookupProperty(helpers,"if").call(alias1,(depth0 != null ? lookupProperty(depth0,"last") : depth0),{"name":"if","hash":{},"fn":container.program(0, data, 0),"inverse":container.noop,"data":data,"loc":{"start":{"line":1,"column":11},"end":{"line":1,"column":34}}})) != null ? stack1 : "")
    + "\">"
    + alias4(((helper = (helper = lookupProperty(helpers,"index") || (depth0 != null ? lookupProperty(depth0,"index") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"index","hash":{},"data":data,"loc":{"start":{"line":1,"column":36},"end":{"line":1,"column":45}}}) : helper)))
    + " "
    + alias4(((helper = (helper = lookupProperty(helpers,"name") || (depth0 != null ? lookupProperty(depth0,"name") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"name","hash":{},"data":data,"loc":{"start":{"line":1,"column":46},"end":{"line":1,"column":54}}}) : helper)))
    + " "
    + alias4(((helper = (helper = lookupProperty(helpers,"name") || (depth0 != null ? lookupProperty(depth0,"name") : depth0)) != null ? helper : alias2),(typeof helper === alias3 ? helper.call(alias1,{"name":"name","hash":{},"data":data,"loc":{"start":{"line":1,"column":55},"end":{"line":1,"column":65}}}) : helper)))
    + "</li>";
},"useData":true};
